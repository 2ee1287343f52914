import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * Prints bytes that Kafka's own classes write: each message in each version and in several shapes, one a line, beside
 * what Kafka's JSON converters say of it. What a message consists of is read from the definitions inside the jars, and
 * its values are counted up, so that the same jars always give the same lines.
 *
 * Usage: java -cp 'lib/*' Vectors.java lib/kafka-clients-X.jar [lib/kafka-group-coordinator-X.jar]
 */
public class Vectors {
    static final ObjectMapper JSON = new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS);
    /** Keys on the broker's listener that are for brokers among themselves, or for a KRaft quorum. */
    static final Set<Integer> NOT_FOR_CLIENTS = Set.of(4, 5, 6, 7, 80, 81, 83, 84, 85, 86, 87, 94);
    static final Set<String> DATA = Set.of(
        "RequestHeader", "ResponseHeader", "ConsumerProtocolSubscription", "ConsumerProtocolAssignment",
        "ControlRecordTypeSchema", "EndTxnMarker", "DefaultPrincipalData",
        "GroupMetadataKey", "GroupMetadataValue", "OffsetCommitKey", "OffsetCommitValue");

    /** How a message is filled. */
    enum Shape {
        /** As its constructor leaves it. */
        DEFAULTS,
        /** Every field with a value of its own, two elements to each array. */
        FILLED,
        /** Null wherever the version allows it. */
        NULLS,
        /** Empty strings, bytes and arrays; -1 for numbers. */
        EMPTY,
        /** Largest and smallest numbers; lengths that take two bytes as a varint. */
        EXTREMES
    }

    public static void main(String[] jars) throws Exception {
        Map<String, JsonNode> definitions = new TreeMap<>();
        for (String jar : jars) readJar(jar, definitions);
        Set<Integer> keys = new TreeSet<>();
        for (JsonNode definition : definitions.values()) if (isOffered(definition)) keys.add(definition.get("apiKey").asInt());
        keys.removeAll(NOT_FOR_CLIENTS);
        for (JsonNode definition : definitions.values()) {
            boolean isApi = definition.get("type").asText().matches("request|response");
            boolean isWanted = isApi ? keys.contains(definition.get("apiKey").asInt()) : DATA.contains(definition.get("name").asText());
            if (isWanted && !definition.get("validVersions").asText().equals("none")) printMessage(definition, System.out);
        }
    }

    static void readJar(String jar, Map<String, JsonNode> definitions) throws Exception {
        try (ZipFile zip = new ZipFile(jar)) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (!entry.getName().matches("common/message/\\w+\\.json")) continue;
                try (InputStream in = zip.getInputStream(entry)) {
                    JsonNode definition = JSON.readTree(in);
                    definitions.put(definition.get("name").asText(), definition);
                }
            }
        }
    }

    static boolean isOffered(JsonNode definition) {
        for (JsonNode listener : definition.path("listeners")) if (listener.asText().equals("broker")) return true;
        return false;
    }

    static void printMessage(JsonNode definition, PrintStream out) throws Exception {
        String name = definition.get("name").asText();
        String type = definition.get("type").asText();
        String className = type.startsWith("coordinator") ? "org.apache.kafka.coordinator.group.generated." + name
            : "org.apache.kafka.common.message." + name + (type.equals("data") ? "" : "Data");
        Class<?> messageClass = Class.forName(className);
        Method toJson = Class.forName(className + "JsonConverter").getMethod("write", messageClass, short.class);
        for (Shape shape : Shape.values()) {
            int[] versions = range(definition.get("validVersions").asText());
            for (int version = versions[0]; version <= versions[1]; version++) {
                Message message = (Message) new Filler(shape, version).fill(messageClass, definition.get("fields"), definition);
                ObjectNode line = JSON.createObjectNode();
                line.put("message", name).put("version", version).put("shape", shape.name().toLowerCase());
                line.put("hex", HexFormat.of().formatHex(bytesOf(message, (short) version)));
                line.set("json", (JsonNode) toJson.invoke(null, message, (short) version));
                out.println(line);
            }
        }
    }

    static byte[] bytesOf(Message message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(buffer), cache, version);
        return buffer.array();
    }

    /** First and last version of a range such as "3", "3-7", "3+". */
    static int[] range(String versions) {
        if (versions == null || versions.isEmpty() || versions.equals("none")) return new int[] {0, -1};
        if (versions.endsWith("+")) return new int[] {Integer.parseInt(versions.replace("+", "")), Integer.MAX_VALUE};
        String[] bounds = versions.split("-");
        return new int[] {Integer.parseInt(bounds[0]), Integer.parseInt(bounds[bounds.length - 1])};
    }

    /** Makes one message. Values come from a counter, so that no two fields are the same. */
    static class Filler {
        final Shape shape;
        final int version;
        int count = 0;

        Filler(Shape shape, int version) {
            this.shape = shape;
            this.version = version;
        }

        Object fill(Class<?> type, JsonNode fields, JsonNode message) throws Exception {
            Object filled = type.getConstructor().newInstance();
            for (JsonNode field : fields) {
                if (!isIn(field.path("versions").asText())) continue;
                String name = field.get("name").asText();
                String bean = Character.toUpperCase(name.charAt(0)) + name.substring(1);
                Method getter = type.getMethod(Character.toLowerCase(name.charAt(0)) + name.substring(1));
                boolean isNullable = isIn(field.path("nullableVersions").asText(""));
                boolean leave = shape == Shape.DEFAULTS && (isNullable || getter.invoke(filled) != null);
                if (leave) continue;
                Object value = shape == Shape.NULLS && isNullable ? null
                    : value(field.get("type").asText(), getter.getGenericReturnType(), field, message);
                type.getMethod("set" + bean, getter.getReturnType()).invoke(filled, value);
            }
            return filled;
        }

        boolean isIn(String versions) {
            int[] bounds = range(versions);
            return version >= bounds[0] && version <= bounds[1];
        }

        Object value(String type, Type javaType, JsonNode field, JsonNode message) throws Exception {
            if (type.startsWith("[]")) return array(type.substring(2), javaType, field, message);
            int n = ++count;
            switch (type) {
                case "bool": return shape != Shape.EMPTY;
                case "int8": return (byte) number(n * 37 % 126 + 1, Byte.MIN_VALUE, Byte.MAX_VALUE);
                case "int16": return (short) number(n * 331 % 32766 + 1, Short.MIN_VALUE, Short.MAX_VALUE);
                case "uint16": return shape == Shape.EMPTY ? 0 : (int) number(n * 7919 % 65535 + 1, 0, 65535);
                case "int32": return (int) number(n * 1_000_003L % 2_000_000_000, Integer.MIN_VALUE, Integer.MAX_VALUE);
                case "int64": return number(n * 10_000_000_019L, Long.MIN_VALUE, Long.MAX_VALUE);
                case "float64": return shape == Shape.EXTREMES ? Double.MAX_VALUE : n + 0.5;
                case "string": return text(n);
                case "uuid": return shape == Shape.EMPTY ? Uuid.ZERO_UUID : new Uuid(n * 0x0123_4567_89ab_cdefL, ~n);
                case "bytes": return javaType == byte[].class ? bytes(n) : ByteBuffer.wrap(bytes(n));
                case "records": return records(bytes(n));
                default: return fill((Class<?>) javaType, fieldsOf(type, field, message), message);
            }
        }

        long number(long filled, long min, long max) {
            if (shape == Shape.EMPTY) return -1;
            if (shape == Shape.EXTREMES) return count % 2 == 0 ? min : max;
            return filled;
        }

        String text(int n) {
            if (shape == Shape.EMPTY) return "";
            return shape == Shape.EXTREMES ? "long ".repeat(40) + n : "text-" + n + (n % 3 == 0 ? "-é-世界-😀" : "");
        }

        byte[] bytes(int n) {
            byte[] bytes = new byte[shape == Shape.EMPTY ? 0 : shape == Shape.EXTREMES ? 1500 : n % 7 + 1];
            Arrays.fill(bytes, (byte) n);
            return bytes;
        }

        @SuppressWarnings("unchecked")
        Collection<Object> array(String type, Type javaType, JsonNode field, JsonNode message) throws Exception {
            Class<?> collection = (Class<?>) (javaType instanceof ParameterizedType p ? p.getRawType() : javaType);
            boolean isList = collection == List.class;
            Type element = ((ParameterizedType) (isList ? javaType : collection.getGenericSuperclass())).getActualTypeArguments()[0];
            Collection<Object> items = isList ? new ArrayList<>() : (Collection<Object>) collection.getConstructor().newInstance();
            boolean isStruct = Character.isUpperCase(type.charAt(0));
            int size = switch (shape) {
                case DEFAULTS, EMPTY -> 0;
                case FILLED -> 2;
                case NULLS -> 1;
                case EXTREMES -> isStruct ? 1 : 130;
            };
            for (int index = 0; index < size; index++) items.add(value(type, element, field, message));
            return items;
        }

        static JsonNode fieldsOf(String type, JsonNode field, JsonNode message) {
            if (field.hasNonNull("fields") && field.get("fields").size() > 0) return field.get("fields");
            for (JsonNode struct : message.path("commonStructs")) if (struct.get("name").asText().equals(type)) return struct.get("fields");
            throw new IllegalStateException("no fields for " + type);
        }

        /** The class has moved between releases. */
        static Object records(byte[] bytes) throws Exception {
            Class<?> records;
            try {
                records = Class.forName("org.apache.kafka.common.record.internal.MemoryRecords");
            } catch (ClassNotFoundException e) {
                records = Class.forName("org.apache.kafka.common.record.MemoryRecords");
            }
            return records.getMethod("readableRecords", ByteBuffer.class).invoke(null, ByteBuffer.wrap(bytes));
        }
    }
}
