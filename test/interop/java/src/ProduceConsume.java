import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.TimestampType;

final class ProduceConsume {
    private static final int COUNT = 500;

    private ProduceConsume() {
    }

    static void all() {
        for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd"))
            Checks.check("produce and consume, " + codec, () -> codec(codec));
        Checks.check("keys, headers, tombstones, empty values", ProduceConsume::shapes);
        Checks.check("idempotent producer, 5 in flight: offsets dense and in order", () -> ordered("enable.idempotence", "true"));
        Checks.check("plain producer, acks=all", () -> ordered("enable.idempotence", "false", "max.in.flight.requests.per.connection", "1"));
        Checks.check("acks=1", () -> ordered("enable.idempotence", "false", "acks", "1", "max.in.flight.requests.per.connection", "1"));
        Checks.check("acks=0", ProduceConsume::withoutAnswer);
        Checks.check("timestamps: CreateTime kept, LogAppendTime set", ProduceConsume::timestamps);
        Checks.check("topic compression.type differs from the producer's", ProduceConsume::recompressed);
        Checks.check("10 MiB message with the limits raised", ProduceConsume::large);
        Checks.check("message over max.message.bytes is refused", ProduceConsume::tooLarge);
        Checks.check("record without key is refused by a compacted topic", ProduceConsume::keyless);
        Checks.check("read_committed on a topic without transactions", ProduceConsume::readCommitted);
        Checks.check("auto creation of a topic", ProduceConsume::autoCreation);
    }

    private static void codec(String codec) throws Exception {
        String topic = Kit.topic(3);
        try (Producer<String, String> producer = Kit.producer("compression.type", codec, "linger.ms", "5")) {
            for (int i = 0; i < COUNT; i++)
                producer.send(new ProducerRecord<>(topic, i % 3, "key-" + i, "value-" + i + "-" + "x".repeat(i)));
        }
        boolean[] seen = new boolean[COUNT];
        for (ConsumerRecord<String, String> r : Kit.readAll(topic, 3, COUNT)) {
            int i = Integer.parseInt(r.key().substring(4));
            Checks.equal("value-" + i + "-" + "x".repeat(i), r.value(), "value");
            Checks.equal(i / 3, r.offset(), "offset");
            Checks.isTrue(!seen[i], "twice: " + i);
            seen[i] = true;
        }
    }

    private static void shapes() throws Exception {
        String topic = Kit.topic(1);
        try (Producer<String, String> producer = Kit.producer()) {
            ProducerRecord<String, String> headers = new ProducerRecord<>(topic, "k", "v");
            headers.headers().add("a", "1".getBytes(UTF_8)).add("a", "2".getBytes(UTF_8)).add("empty", new byte[0]).add("null", null);
            producer.send(headers);
            producer.send(new ProducerRecord<>(topic, "tombstone", null));
            producer.send(new ProducerRecord<>(topic, null, "no key"));
            producer.send(new ProducerRecord<>(topic, "", ""));
            producer.send(new ProducerRecord<>(topic, null, null));
        }
        List<ConsumerRecord<String, String>> records = Kit.readAll(topic, 1, 5);
        var read = records.get(0).headers().toArray();
        Checks.equal(4, read.length, "headers");
        Checks.equal("2", new String(read[1].value(), UTF_8), "second header of the same key");
        Checks.equal(0, read[2].value().length, "empty header");
        Checks.equal(null, read[3].value(), "null header");
        Checks.equal(null, records.get(1).value(), "tombstone");
        Checks.equal(null, records.get(2).key(), "null key");
        Checks.equal("", records.get(3).value(), "empty value");
        Checks.equal(null, records.get(4).value(), "null value");
    }

    private static void ordered(String... config) throws Exception {
        String topic = Kit.topic(1);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (Producer<String, String> producer = Kit.producer(with(config, "batch.size", "500"))) {
            for (int i = 0; i < 2000; i++)
                sent.add(producer.send(new ProducerRecord<>(topic, null, Integer.toString(i))));
        }
        for (int i = 0; i < sent.size(); i++)
            Checks.equal(i, sent.get(i).get().offset(), "offset acknowledged");
        List<ConsumerRecord<String, String>> records = Kit.readAll(topic, 1, 2000);
        for (int i = 0; i < records.size(); i++)
            Checks.equal(i, records.get(i).value(), "value at " + i);
    }

    private static String[] with(String[] config, String... more) {
        List<String> all = new ArrayList<>(List.of(config));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static void withoutAnswer() throws Exception {
        String topic = Kit.topic(1);
        try (Producer<String, String> producer = Kit.producer("acks", "0", "enable.idempotence", "false")) {
            for (int i = 0; i < 100; i++)
                producer.send(new ProducerRecord<>(topic, null, "v" + i));
        }
        Kit.readAll(topic, 1, 100);
    }

    private static void timestamps() throws Exception {
        String created = Kit.topic(1);
        String appended = Kit.topic(1, "message.timestamp.type", "LogAppendTime");
        long past = System.currentTimeMillis() - 3_600_000;
        try (Producer<String, String> producer = Kit.producer()) {
            producer.send(new ProducerRecord<>(created, 0, past, "k", "v"));
            producer.send(new ProducerRecord<>(appended, 0, past, "k", "v"));
        }
        ConsumerRecord<String, String> create = Checks.only(Kit.readAll(created, 1, 1));
        Checks.equal(past, create.timestamp(), "CreateTime");
        Checks.equal(TimestampType.CREATE_TIME, create.timestampType(), "type");
        ConsumerRecord<String, String> append = Checks.only(Kit.readAll(appended, 1, 1));
        Checks.equal(TimestampType.LOG_APPEND_TIME, append.timestampType(), "type");
        Checks.isTrue(append.timestamp() > past + 3_000_000, "LogAppendTime is the broker's: " + append.timestamp());
    }

    private static void recompressed() throws Exception {
        for (String codec : List.of("gzip", "snappy", "lz4", "zstd", "uncompressed")) {
            String topic = Kit.topic(1, "compression.type", codec);
            try (Producer<String, String> producer = Kit.producer("compression.type", codec.equals("gzip") ? "lz4" : "gzip", "linger.ms", "5")) {
                for (int i = 0; i < 100; i++)
                    producer.send(new ProducerRecord<>(topic, "k" + i, "v" + i));
            }
            List<ConsumerRecord<String, String>> records = Kit.readAll(topic, 1, 100);
            for (int i = 0; i < 100; i++)
                Checks.equal("v" + i, records.get(i).value(), codec);
        }
    }

    private static void large() throws Exception {
        String topic = Kit.topic(1, "max.message.bytes", "12000000");
        StringBuilder value = new StringBuilder(10 << 20);
        Random random = new Random(7);
        while (value.length() < 10 << 20)
            value.append((char) ('a' + random.nextInt(26)));
        try (Producer<String, String> producer = Kit.producer("max.request.size", "12000000", "buffer.memory", "67108864")) {
            for (int i = 0; i < 3; i++)
                producer.send(new ProducerRecord<>(topic, null, i + value.toString())).get();
        }
        List<ConsumerRecord<String, String>> records = Kit.readAll(topic, 1, 3);
        for (int i = 0; i < 3; i++)
            Checks.isTrue(records.get(i).value().equals(i + value.toString()), "the bytes of message " + i);
    }

    private static void tooLarge() throws Exception {
        String topic = Kit.topic(1);
        try (Producer<String, String> producer = Kit.producer("max.request.size", "12000000")) {
            Checks.fails(RecordTooLargeException.class, () -> producer.send(new ProducerRecord<>(topic, null, "x".repeat(2 << 20))).get());
            Checks.equal(0, producer.send(new ProducerRecord<>(topic, null, "fits")).get().offset(), "offset of the next");
        }
    }

    private static void keyless() throws Exception {
        String topic = Kit.topic(1, "cleanup.policy", "compact");
        try (Producer<String, String> producer = Kit.producer()) {
            Checks.fails(InvalidRecordException.class, () -> producer.send(new ProducerRecord<>(topic, null, "v")).get());
        }
        try (Producer<String, String> producer = Kit.producer()) {
            Checks.equal(0, producer.send(new ProducerRecord<>(topic, "k", "v")).get().offset(), "offset of the next");
        }
    }

    private static void readCommitted() throws Exception {
        String topic = Kit.topic(1);
        try (Producer<String, String> producer = Kit.producer()) {
            for (int i = 0; i < 100; i++)
                producer.send(new ProducerRecord<>(topic, null, "v" + i));
        }
        Kit.readAll(topic, 1, 100, "isolation.level", "read_committed");
    }

    private static void autoCreation() throws Exception {
        String topic = Kit.name("auto");
        try (Producer<String, String> producer = Kit.producer()) {
            Checks.equal(0, producer.send(new ProducerRecord<>(topic, null, "v")).get().offset(), "offset");
        }
        Kit.readAll(topic, 1, 1);
    }
}
