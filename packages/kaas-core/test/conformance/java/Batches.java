import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Prints record batches that Kafka's classes build, one a line, with what Kafka reads out of them. With --read, reads
 * batches as hex from its input, one a line, and prints what Kafka reads out of those. For Kafka 4.4 and later.
 *
 * Usage: java -cp 'lib/*' Batches.java [--read]
 */
public class Batches {
    static final ObjectMapper JSON = new ObjectMapper();
    static final long TIME = 1_700_000_000_000L;

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("--read")) readBatches();
        else writeBatches();
    }

    static void readBatches() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(describe(MemoryRecords.readableRecords(ByteBuffer.wrap(HexFormat.of().parseHex(line)))));
        }
    }

    static void writeBatches() {
        for (CompressionType type : CompressionType.values()) {
            Compression compression = Compression.of(type).build();
            print(type.name + ", plain", small(builder(compression, TimestampType.CREATE_TIME, -1, -1, false)));
            print(type.name + ", large", large(builder(compression, TimestampType.CREATE_TIME, -1, -1, false)));
            print(type.name + ", append time", small(builder(compression, TimestampType.LOG_APPEND_TIME, -1, -1, false)));
            print(type.name + ", transactional", small(builder(compression, TimestampType.CREATE_TIME, 4242, 7, true)));
        }
        print("commit", marker(ControlRecordType.COMMIT));
        print("abort", marker(ControlRecordType.ABORT));
    }

    static MemoryRecordsBuilder builder(Compression compression, TimestampType type, long producerId, int sequence, boolean transactional) {
        short epoch = (short) (producerId < 0 ? -1 : 3);
        long appendTime = type == TimestampType.LOG_APPEND_TIME ? TIME + 5000 : RecordBatch.NO_TIMESTAMP;
        return MemoryRecords.builder(ByteBuffer.allocate(1 << 16), RecordBatch.MAGIC_VALUE_V2, compression, type, 1000L,
            appendTime, producerId, epoch, sequence, transactional, 12);
    }

    static MemoryRecords small(MemoryRecordsBuilder builder) {
        builder.append(TIME, utf8("key"), utf8("value"));
        builder.append(TIME - 100_000, null, utf8("no key"), new Header[] {new RecordHeader("h", utf8("1")), new RecordHeader("é", (byte[]) null)});
        builder.append(TIME + 5_000_000_000L, utf8("tombstone"), null);
        builder.append(TIME + 1, new byte[0], new byte[0]);
        return builder.build();
    }

    static MemoryRecords large(MemoryRecordsBuilder builder) {
        byte[] value = new byte[100_000];
        for (int index = 0; index < value.length; index++) value[index] = (byte) ("some text, " + index / 100).charAt(index % 11);
        for (int index = 0; index < 3; index++) builder.append(TIME + index, utf8("key-" + index), value);
        byte[] noise = new byte[5000];
        for (int index = 0, state = 1; index < noise.length; index++) noise[index] = (byte) ((state = state * 1_103_515_245 + 12345) >>> 16);
        builder.append(TIME, utf8("noise"), noise);
        return builder.build();
    }

    static MemoryRecords marker(ControlRecordType type) {
        return MemoryRecords.withEndTransactionMarker(1000L, TIME, 12, 4242L, (short) 3, new EndTransactionMarker(type, 99));
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static void print(String name, MemoryRecords records) {
        byte[] bytes = new byte[records.sizeInBytes()];
        records.buffer().get(bytes);
        ObjectNode line = JSON.createObjectNode().put("name", name).put("hex", HexFormat.of().formatHex(bytes));
        line.set("batch", describe(records));
        System.out.println(line);
    }

    static ObjectNode describe(MemoryRecords records) {
        RecordBatch batch = records.batches().iterator().next();
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
            ObjectNode item = list.addObject().put("offset", record.offset()).put("timestamp", record.timestamp());
            item.put("key", record.hasKey() ? bytes(record.key()) : null).put("value", record.hasValue() ? bytes(record.value()) : null);
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
        return Arrays.copyOfRange(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.arrayOffset() + buffer.limit());
    }
}
