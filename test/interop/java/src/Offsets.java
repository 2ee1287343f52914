import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** A consumer's offsets: what it asks of the log, and what it commits. */
final class Offsets {
    private Offsets() {
    }

    static void all() {
        Checks.check("beginningOffsets, endOffsets, offsetsForTimes", Offsets::ofTheLog);
        Checks.check("seek, position, pause, resume", Offsets::seek);
        Checks.check("commit with metadata, commit async, committed", Offsets::commit);
        Checks.check("auto commit on close, then resume", Offsets::autoCommit);
        Checks.check("auto.offset.reset none, latest, out of range", Offsets::reset);
        Checks.check("partitionsFor, listTopics", Offsets::metadata);
    }

    private static String filled(int partitions, int each) throws Exception {
        String topic = Kit.topic(partitions, "retention.ms", "-1"); // the records are of 2023
        try (Producer<String, String> producer = Kit.producer("linger.ms", "0", "batch.size", "0")) {
            for (int p = 0; p < partitions; p++)
                for (int i = 0; i < each; i++)
                    producer.send(new ProducerRecord<>(topic, p, 1_700_000_000_000L + i * 1000, "k", "v" + i));
        }
        return topic;
    }

    private static void ofTheLog() throws Exception {
        String topic = filled(2, 50);
        TopicPartition p0 = new TopicPartition(topic, 0);
        TopicPartition p1 = new TopicPartition(topic, 1);
        try (Consumer<String, String> consumer = Kit.consumer()) {
            Checks.isTrue(Map.of(p0, 0L, p1, 0L).equals(consumer.beginningOffsets(List.of(p0, p1))), "beginning");
            Checks.equal(50, consumer.endOffsets(List.of(p0)).get(p0), "end");
            var found = consumer.offsetsForTimes(Map.of(p0, 1_700_000_000_000L + 10_500, p1, 1_900_000_000_000L));
            Checks.equal(11, found.get(p0).offset(), "the first at or after the time");
            Checks.equal(1_700_000_000_000L + 11_000, found.get(p0).timestamp(), "its timestamp");
            Checks.equal(null, found.get(p1), "none after the time");
        }
    }

    private static void seek() throws Exception {
        String topic = filled(2, 50);
        TopicPartition p0 = new TopicPartition(topic, 0);
        TopicPartition p1 = new TopicPartition(topic, 1);
        try (Consumer<String, String> consumer = Kit.consumer("max.poll.records", "5")) {
            consumer.assign(List.of(p0, p1));
            consumer.seek(p0, 45);
            consumer.pause(Set.of(p1));
            for (var record : Kit.read(consumer, 5))
                Checks.equal(p0, new TopicPartition(record.topic(), record.partition()), "only what is not paused");
            Checks.equal(50, consumer.position(p0), "position");
            consumer.resume(Set.of(p1));
            consumer.seekToEnd(Set.of(p0));
            Checks.equal(50, consumer.position(p0), "position at the end");
            Checks.equal(0, consumer.position(p1), "position of the resumed");
            Checks.equal("v0", Kit.read(consumer, 5).get(0).value(), "first of the resumed");
        }
    }

    private static void commit() throws Exception {
        String topic = filled(2, 20);
        TopicPartition p0 = new TopicPartition(topic, 0);
        TopicPartition p1 = new TopicPartition(topic, 1);
        String group = Kit.name("commit");
        try (Consumer<String, String> consumer = Kit.consumer("group.id", group)) {
            consumer.assign(List.of(p0, p1));
            Checks.equal(null, consumer.committed(Set.of(p0)).get(p0), "nothing committed yet");
            consumer.commitSync(Map.of(p0, new OffsetAndMetadata(7, "note")));
            Checks.equal(7, consumer.committed(Set.of(p0)).get(p0).offset(), "offset");
            Checks.equal("note", consumer.committed(Set.of(p0)).get(p0).metadata(), "metadata");
            var failure = new Exception[1];
            var answered = new boolean[1];
            consumer.commitAsync(Map.of(p1, new OffsetAndMetadata(9)), (offsets, e) -> {
                failure[0] = e;
                answered[0] = true;
            });
            for (int i = 0; i < 100 && !answered[0]; i++)
                consumer.poll(Duration.ofMillis(50));
            Checks.isTrue(answered[0] && failure[0] == null, "commitAsync: " + failure[0]);
            Checks.equal(9, consumer.committed(Set.of(p0, p1)).get(p1).offset(), "offset");
        }
        try (Consumer<String, String> consumer = Kit.consumer("group.id", group)) {
            consumer.assign(List.of(p0));
            Checks.equal(7, Kit.read(consumer, 13).get(0).offset(), "resumed at");
        }
    }

    private static void autoCommit() throws Exception {
        String topic = filled(1, 30);
        String group = Kit.name("auto");
        try (Consumer<String, String> consumer = Kit.consumer("group.id", group, "enable.auto.commit", "true", "max.poll.records", "10")) {
            consumer.subscribe(List.of(topic));
            Kit.read(consumer, 10);
        }
        try (Consumer<String, String> consumer = Kit.consumer("group.id", group)) {
            consumer.subscribe(List.of(topic));
            Checks.equal(10, Kit.read(consumer, 20).get(0).offset(), "resumed at");
        }
    }

    private static void reset() throws Exception {
        String topic = filled(1, 10);
        TopicPartition p0 = new TopicPartition(topic, 0);
        try (Consumer<String, String> consumer = Kit.consumer("auto.offset.reset", "none", "group.id", Kit.name("reset"))) {
            consumer.assign(List.of(p0));
            Checks.fails(NoOffsetForPartitionException.class, () -> Kit.read(consumer, 1));
            consumer.seek(p0, 1000);
            Checks.fails(OffsetOutOfRangeException.class, () -> Kit.read(consumer, 1));
        }
        try (Consumer<String, String> consumer = Kit.consumer("auto.offset.reset", "latest")) {
            consumer.assign(List.of(p0));
            Checks.equal(10, consumer.position(p0), "latest");
        }
        try (Consumer<String, String> consumer = Kit.consumer("auto.offset.reset", "earliest")) {
            consumer.assign(List.of(p0));
            consumer.seek(p0, 1000);
            Checks.equal(0, Kit.read(consumer, 10).get(0).offset(), "back to the earliest");
        }
    }

    private static void metadata() throws Exception {
        String topic = filled(3, 1);
        try (Consumer<String, String> consumer = Kit.consumer()) {
            var partitions = consumer.partitionsFor(topic);
            Checks.equal(3, partitions.size(), "partitions");
            for (var partition : partitions) {
                Checks.isTrue(partition.leader() != null && partition.leader().port() > 0, "leader");
                Checks.equal(1, partition.inSyncReplicas().length, "in sync");
            }
            Checks.isTrue(consumer.listTopics().containsKey(topic), "listTopics");
        }
    }
}
