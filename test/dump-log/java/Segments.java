import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.nio.ByteBuffer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Prints every batch of some segments, one a line, as Kafka's FileRecords reads it out of the file; a segment that ends
 * in something else than a batch fails. For Kafka 4.4 and later.
 *
 * Usage: java -cp … Segments.java FILE…
 */
public class Segments {
    static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] args) throws Exception {
        for (String name : args) {
            try (FileRecords records = FileRecords.open(new File(name), false)) {
                int bytes = 0;
                for (RecordBatch batch : records.batches()) {
                    System.out.println(describe(batch));
                    bytes += batch.sizeInBytes();
                }
                if (bytes != records.sizeInBytes()) {
                    throw new IllegalStateException(name + " has " + records.sizeInBytes() + " bytes, batches " + bytes);
                }
            }
        }
    }

    static ObjectNode describe(RecordBatch batch) {
        batch.ensureValid();
        ObjectNode node = JSON.createObjectNode();
        node.put("baseOffset", batch.baseOffset()).put("lastOffset", batch.lastOffset());
        node.put("leaderEpoch", batch.partitionLeaderEpoch()).put("crc", batch.checksum());
        node.put("compression", batch.compressionType().name).put("timestampType", batch.timestampType().name);
        node.put("maxTimestamp", batch.maxTimestamp());
        node.put("producerId", batch.producerId()).put("producerEpoch", batch.producerEpoch()).put("baseSequence", batch.baseSequence());
        node.put("isTransactional", batch.isTransactional()).put("isControl", batch.isControlBatch());
        ArrayNode list = node.putArray("records");
        for (Record record : batch) {
            record.ensureValid();
            ObjectNode item = list.addObject().put("offset", record.offset()).put("timestamp", record.timestamp());
            item.put("key", bytes(record.hasKey() ? record.key() : null)).put("value", bytes(record.hasValue() ? record.value() : null));
            ArrayNode headers = item.putArray("headers");
            for (Header header : record.headers()) headers.addObject().put("key", header.key()).put("value", header.value());
            if (batch.isControlBatch()) {
                EndTransactionMarker marker = EndTransactionMarker.deserialize(record);
                node.put("controlType", marker.controlType().name()).put("coordinatorEpoch", marker.coordinatorEpoch());
            }
        }
        return node;
    }

    static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) return null;
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }
}
