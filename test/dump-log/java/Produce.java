import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Lets a broker write what a log can hold: each codec, keys, values and headers that are there, empty and null, the
 * broker's own time, transactions that commit and abort, idempotent and plain producers, several segments.
 *
 * Usage: java -cp … Produce.java HOST:PORT
 */
public class Produce {
    static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
    static String bootstrap;

    public static void main(String[] args) throws Exception {
        bootstrap = args[0];
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            // The least that a segment may have.
            Map<String, String> small = Map.of("segment.bytes", "1048576", "index.interval.bytes", "512", "retention.ms", "-1");
            for (String codec : CODECS) {
                admin.createTopics(List.of(new NewTopic(codec, 1, (short) 1).configs(small))).all().get();
            }
            admin.createTopics(List.of(
                new NewTopic("append-time", 1, (short) 1).configs(Map.of("message.timestamp.type", "LogAppendTime", "retention.ms", "-1")),
                new NewTopic("transactions", 1, (short) 1).configs(Map.of("index.interval.bytes", "100", "retention.ms", "-1")))).all().get();
        }
        for (String codec : CODECS) produce(codec, codec);
        produce("append-time", "lz4");
        transactions();
    }

    static KafkaProducer<byte[], byte[]> producer(Map<String, Object> beyond) {
        Map<String, Object> configs = new java.util.HashMap<>(Map.of("bootstrap.servers", bootstrap, "linger.ms", 5));
        configs.putAll(beyond);
        return new KafkaProducer<>(configs, new ByteArraySerializer(), new ByteArraySerializer());
    }

    static void produce(String topic, String codec) throws Exception {
        for (boolean idempotent : new boolean[] {true, false}) {
            try (var producer = producer(Map.of("compression.type", codec, "enable.idempotence", idempotent))) {
                send(producer, topic, 400, 10_000);
            }
        }
    }

    static void transactions() throws Exception {
        for (String codec : CODECS) {
            try (var producer = producer(Map.of("compression.type", codec, "transactional.id", "with-" + codec))) {
                producer.initTransactions();
                for (int round = 0; round < 4; round++) {
                    producer.beginTransaction();
                    send(producer, "transactions", 5, 100);
                    if (round % 2 == 0) producer.commitTransaction();
                    else producer.abortTransaction();
                }
            }
        }
    }

    static void send(KafkaProducer<byte[], byte[]> producer, String topic, int count, int bytesMax) throws Exception {
        Random random = new Random(count);
        Future<?> last = null;
        for (int index = 0; index < count; index++) {
            byte[] value = new byte[random.nextInt(bytesMax)];
            // Half of it is noise, so that no codec makes it small.
            random.nextBytes(value);
            java.util.Arrays.fill(value, 0, value.length / 2, (byte) 'a');
            byte[] key = index % 3 == 0 ? null : index % 3 == 1 ? new byte[0] : utf8("key-" + index);
            var headers = new RecordHeaders();
            if (index % 2 == 0) headers.add("é", utf8("value")).add("null", null).add("", new byte[0]);
            last = producer.send(new ProducerRecord<>(topic, 0, 1_700_000_000_000L + index * 10, key, index % 7 == 0 ? null : value, headers));
            if (index % 10 == 9) last.get();
        }
        last.get();
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
