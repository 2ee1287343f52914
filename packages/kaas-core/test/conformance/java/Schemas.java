import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Prints the message definitions that the jars on the class path carry: names, types, versions, nullability, defaults
 * and tags, one message a line. Prose is left out. Structs that a message shares between fields are put where they are
 * used.
 *
 * Usage: java -cp 'lib/*' Schemas.java lib/kafka-clients-X.jar lib/kafka-group-coordinator-X.jar
 */
public class Schemas {
    static final ObjectMapper JSON = new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS);
    static final List<String> MESSAGE_FACTS = List.of(
        "name", "type", "apiKey", "listeners", "validVersions", "flexibleVersions", "latestVersionUnstable");
    static final List<String> FIELD_FACTS = List.of(
        "name", "type", "versions", "nullableVersions", "default", "tag", "taggedVersions", "flexibleVersions");
    /** Records of the coordinator that clients' tools know; its others are its own affair. */
    static final List<String> COORDINATOR_RECORDS = List.of(
        "GroupMetadataKey", "GroupMetadataValue", "OffsetCommitKey", "OffsetCommitValue");

    public static void main(String[] jars) throws Exception {
        Map<String, JsonNode> messages = new TreeMap<>();
        for (String jar : jars) readJar(jar, messages);
        for (JsonNode message : messages.values()) System.out.println(message);
    }

    static void readJar(String jar, Map<String, JsonNode> messages) throws Exception {
        try (ZipFile zip = new ZipFile(jar)) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (!entry.getName().matches("common/message/\\w+\\.json")) continue;
                try (InputStream in = zip.getInputStream(entry)) {
                    JsonNode definition = JSON.readTree(in);
                    if (isWanted(definition)) messages.put(definition.get("name").asText(), compact(definition));
                }
            }
        }
    }

    static boolean isWanted(JsonNode definition) {
        String type = definition.get("type").asText();
        if (type.startsWith("coordinator")) return COORDINATOR_RECORDS.contains(definition.get("name").asText());
        return !definition.get("validVersions").asText().equals("none");
    }

    static ObjectNode compact(JsonNode definition) {
        ObjectNode message = pick(definition, MESSAGE_FACTS);
        Map<String, JsonNode> shared = new HashMap<>();
        for (JsonNode struct : definition.path("commonStructs")) shared.put(struct.get("name").asText(), struct.get("fields"));
        message.set("fields", compactFields(definition.get("fields"), shared));
        return message;
    }

    static ArrayNode compactFields(JsonNode fields, Map<String, JsonNode> shared) {
        ArrayNode compacted = JSON.createArrayNode();
        for (JsonNode definition : fields) {
            ObjectNode field = pick(definition, FIELD_FACTS);
            String type = definition.get("type").asText().replace("[]", "");
            JsonNode inner = definition.hasNonNull("fields") ? definition.get("fields") : shared.get(type);
            if (inner != null) field.set("fields", compactFields(inner, shared));
            compacted.add(field);
        }
        return compacted;
    }

    static ObjectNode pick(JsonNode from, List<String> facts) {
        ObjectNode picked = JSON.createObjectNode();
        for (String fact : facts) if (from.has(fact)) picked.set(fact, from.get(fact));
        return picked;
    }
}
