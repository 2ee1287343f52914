import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

final class Administration {
    private Administration() {
    }

    static void all() {
        Checks.check("create, list, describe, delete topics", Administration::topics);
        Checks.check("create topics: what is refused, and validateOnly", Administration::refused);
        Checks.check("topics by id", Administration::topicIds);
        Checks.check("create partitions", Administration::partitions);
        Checks.check("topic configs: describe, set, append, subtract, delete", Administration::topicConfigs);
        Checks.check("topic configs: AlterConfigs, the older way", Administration::alterConfigs);
        Checks.check("broker configs", Administration::brokerConfigs);
        Checks.check("delete records", Administration::deleteRecords);
        Checks.check("list offsets: earliest, latest, timestamp, max timestamp", Administration::listOffsets);
        Checks.check("log dirs", Administration::logDirs);
        Checks.check("describe cluster", Administration::cluster);
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    private static ConfigEntry config(Admin admin, ConfigResource resource, String key) throws Exception {
        return admin.describeConfigs(List.of(resource)).all().get().get(resource).get(key);
    }

    /** Apache Kafka answers before its metadata shows the change. */
    private static void awaitConfig(Admin admin, ConfigResource resource, String key, String expected) throws Exception {
        Checks.eventually(() -> {
            try {
                return config(admin, resource, key).value().equals(expected);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, key + " is " + expected);
    }

    private static void topics() throws Exception {
        String topic = Kit.name("topics");
        try (Admin admin = Kit.admin()) {
            var created = admin.createTopics(List.of(new NewTopic(topic, 3, (short) 1).configs(Map.of("retention.ms", "3600000"))));
            Checks.equal(3, created.numPartitions(topic).get(), "partitions created");
            Checks.equal(1, created.replicationFactor(topic).get(), "replication factor");
            Checks.equal("3600000", created.config(topic).get().get("retention.ms").value(), "config");
            Checks.isTrue(!created.topicId(topic).get().equals(Uuid.ZERO_UUID), "topic id");
            Checks.eventually(() -> names(admin).contains(topic), "listed");
            TopicDescription described = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
            Checks.equal(3, described.partitions().size(), "partitions");
            Checks.equal(created.topicId(topic).get(), described.topicId(), "topic id");
            Checks.isTrue(described.partitions().stream().allMatch(p -> p.leader() != null && p.isr().size() == 1), "leaders");
            Checks.fails(TopicExistsException.class, () -> admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get());
            admin.deleteTopics(List.of(topic)).all().get();
            Checks.eventually(() -> !names(admin).contains(topic), "no longer listed");
            Checks.fails(UnknownTopicOrPartitionException.class, () -> admin.describeTopics(List.of(topic)).allTopicNames().get());
            Checks.fails(UnknownTopicOrPartitionException.class, () -> admin.deleteTopics(List.of(topic)).all().get());
        }
    }

    private static Set<String> names(Admin admin) {
        try {
            return admin.listTopics().names().get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void refused() throws Exception {
        String topic = Kit.name("refused");
        try (Admin admin = Kit.admin()) {
            Checks.fails(InvalidTopicException.class, () -> admin.createTopics(List.of(new NewTopic("bad name!", 1, (short) 1))).all().get());
            Checks.fails(InvalidPartitionsException.class, () -> admin.createTopics(List.of(new NewTopic(topic, 0, (short) 1))).all().get());
            Checks.fails(InvalidConfigurationException.class,
                () -> admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(Map.of("no.such.config", "1")))).all().get());
            Checks.fails(InvalidConfigurationException.class,
                () -> admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(Map.of("retention.ms", "soon")))).all().get());
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)), new CreateTopicsOptions().validateOnly(true)).all().get();
            Checks.isTrue(!names(admin).contains(topic), "validateOnly made it");
        }
    }

    private static void topicIds() throws Exception {
        String topic = Kit.topic(1);
        try (Admin admin = Kit.admin()) {
            Uuid id = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).topicId();
            TopicCollection.TopicIdCollection ids = TopicCollection.ofTopicIds(List.of(id));
            Checks.equal(topic, admin.describeTopics(ids).allTopicIds().get().get(id).name(), "name by id");
            admin.deleteTopics(ids).all().get();
            Checks.eventually(() -> !names(admin).contains(topic), "no longer listed");
            Checks.fails(UnknownTopicIdException.class, () -> admin.deleteTopics(ids).all().get());
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
            Checks.isTrue(!admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).topicId().equals(id), "a new id");
        }
    }

    private static void partitions() throws Exception {
        String topic = Kit.topic(2);
        try (Admin admin = Kit.admin(); Producer<String, String> producer = Kit.producer("metadata.max.age.ms", "500")) {
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(5))).all().get();
            Checks.eventually(() -> producer.partitionsFor(topic).size() == 5, "five partitions");
            producer.send(new ProducerRecord<>(topic, 4, null, "v")).get();
            Checks.fails(InvalidPartitionsException.class, () -> admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all().get());
            Checks.fails(UnknownTopicOrPartitionException.class, () -> admin.createPartitions(Map.of("none-such", NewPartitions.increaseTo(3))).all().get());
        }
    }

    private static void alter(Admin admin, String topic, AlterConfigOp.OpType type, String key, String value) throws Exception {
        Collection<AlterConfigOp> ops = List.of(new AlterConfigOp(new ConfigEntry(key, value), type));
        admin.incrementalAlterConfigs(Map.of(resource(topic), ops)).all().get();
    }

    private static void topicConfigs() throws Exception {
        String topic = Kit.topic(1);
        ConfigResource resource = resource(topic);
        try (Admin admin = Kit.admin()) {
            ConfigEntry before = config(admin, resource, "retention.ms");
            Checks.equal("604800000", before.value(), "default");
            Checks.isTrue(before.isDefault(), "is the default");
            alter(admin, topic, AlterConfigOp.OpType.SET, "retention.ms", "1000");
            awaitConfig(admin, resource, "retention.ms", "1000");
            Checks.equal(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG, config(admin, resource, "retention.ms").source(), "source");
            alter(admin, topic, AlterConfigOp.OpType.APPEND, "cleanup.policy", "compact");
            awaitConfig(admin, resource, "cleanup.policy", "delete,compact");
            alter(admin, topic, AlterConfigOp.OpType.SUBTRACT, "cleanup.policy", "delete");
            awaitConfig(admin, resource, "cleanup.policy", "compact");
            alter(admin, topic, AlterConfigOp.OpType.DELETE, "retention.ms", "");
            awaitConfig(admin, resource, "retention.ms", "604800000");
            Checks.fails(InvalidConfigurationException.class, () -> alter(admin, topic, AlterConfigOp.OpType.SET, "no.such.config", "1"));
            Checks.fails(InvalidConfigurationException.class, () -> alter(admin, topic, AlterConfigOp.OpType.SET, "retention.ms", "soon"));
            Checks.fails(UnknownTopicOrPartitionException.class, () -> alter(admin, "none-such", AlterConfigOp.OpType.SET, "retention.ms", "1"));
        }
    }

    /** Gone from the Java client in 4.0, still spoken by others. */
    private static void alterConfigs() throws Exception {
        java.lang.reflect.Method alterConfigs;
        try {
            alterConfigs = Admin.class.getMethod("alterConfigs", Map.class);
        } catch (NoSuchMethodException e) {
            return;
        }
        String topic = Kit.topic(1, "retention.ms", "1000");
        try (Admin admin = Kit.admin()) {
            var wanted = new org.apache.kafka.clients.admin.Config(List.of(new ConfigEntry("segment.bytes", "1048576")));
            Object result = alterConfigs.invoke(admin, Map.of(resource(topic), wanted));
            ((org.apache.kafka.common.KafkaFuture<?>) result.getClass().getMethod("all").invoke(result)).get();
            awaitConfig(admin, resource(topic), "segment.bytes", "1048576");
            awaitConfig(admin, resource(topic), "retention.ms", "604800000"); // what was not named goes back
        }
    }

    private static void brokerConfigs() throws Exception {
        try (Admin admin = Kit.admin()) {
            String id = admin.describeCluster().nodes().get().iterator().next().idString();
            var all = admin.describeConfigs(List.of(new ConfigResource(ConfigResource.Type.BROKER, id))).all().get().values().iterator().next();
            for (String key : List.of("log.retention.hours", "message.max.bytes", "num.partitions", "auto.create.topics.enable"))
                Checks.isTrue(all.get(key) != null && all.get(key).value() != null, key);
        }
    }

    private static void deleteRecords() throws Exception {
        String topic = Kit.topic(1);
        TopicPartition p0 = new TopicPartition(topic, 0);
        Groups.fill(topic, 1, 0, 20);
        try (Admin admin = Kit.admin()) {
            Checks.equal(8, admin.deleteRecords(Map.of(p0, RecordsToDelete.beforeOffset(8))).lowWatermarks().get(p0).get().lowWatermark(), "low watermark");
            Checks.equal(8, Kit.readAll(topic, 1, 12).get(0).offset(), "first record");
            Checks.fails(OffsetOutOfRangeException.class, () -> admin.deleteRecords(Map.of(p0, RecordsToDelete.beforeOffset(100))).all().get());
            Checks.equal(20, admin.deleteRecords(Map.of(p0, RecordsToDelete.beforeOffset(-1))).lowWatermarks().get(p0).get().lowWatermark(), "all of it");
        }
        Groups.fill(topic, 1, 20, 21);
        Checks.equal(20, Kit.readAll(topic, 1, 1).get(0).offset(), "the next record");
    }

    private static long offset(Admin admin, TopicPartition partition, OffsetSpec spec) throws Exception {
        return admin.listOffsets(Map.of(partition, spec)).partitionResult(partition).get().offset();
    }

    /** By a specification that the older client does not have: there the expected value stands for the answer. */
    private static long newerOffset(Admin admin, TopicPartition partition, String spec, long expected) throws Exception {
        try {
            return offset(admin, partition, (OffsetSpec) OffsetSpec.class.getMethod(spec).invoke(null));
        } catch (NoSuchMethodException e) {
            return expected;
        }
    }

    private static void listOffsets() throws Exception {
        String topic = Kit.topic(1, "retention.ms", "-1"); // the records are of 2023
        TopicPartition p0 = new TopicPartition(topic, 0);
        long[] times = {5000, 9000, 7000, 8000};
        try (Producer<String, String> producer = Kit.producer("batch.size", "0"); Admin admin = Kit.admin()) {
            Checks.equal(-1, offset(admin, p0, OffsetSpec.maxTimestamp()), "max timestamp of an empty log");
            for (long time : times)
                producer.send(new ProducerRecord<>(topic, 0, 1_700_000_000_000L + time, null, "v")).get();
            Checks.equal(0, offset(admin, p0, OffsetSpec.earliest()), "earliest");
            Checks.equal(4, offset(admin, p0, OffsetSpec.latest()), "latest");
            Checks.equal(1, offset(admin, p0, OffsetSpec.forTimestamp(1_700_000_000_000L + 5001)), "for a timestamp");
            Checks.equal(-1, offset(admin, p0, OffsetSpec.forTimestamp(1_700_000_000_000L + 9001)), "after all");
            Checks.equal(1, offset(admin, p0, OffsetSpec.maxTimestamp()), "max timestamp");
            Checks.equal(0, newerOffset(admin, p0, "earliestLocal", 0), "earliest local");
            Checks.equal(-1, newerOffset(admin, p0, "latestTiered", -1), "latest tiered");
        }
    }

    private static void logDirs() throws Exception {
        String topic = Kit.topic(2);
        Groups.fill(topic, 2, 0, 20);
        try (Admin admin = Kit.admin()) {
            int id = admin.describeCluster().nodes().get().iterator().next().id();
            var directories = admin.describeLogDirs(List.of(id)).allDescriptions().get().get(id);
            var sizes = new ArrayList<Long>();
            directories.values().forEach(d -> d.replicaInfos().forEach((tp, info) -> {
                if (tp.topic().equals(topic))
                    sizes.add(info.size());
            }));
            Checks.equal(2, sizes.size(), "partitions");
            Checks.isTrue(sizes.stream().allMatch(s -> s > 0), "sizes " + sizes);
        }
    }

    private static void cluster() throws Exception {
        try (Admin admin = Kit.admin()) {
            var cluster = admin.describeCluster();
            Checks.isTrue(cluster.clusterId().get().length() >= 20, "cluster id");
            Checks.equal(1, cluster.nodes().get().size(), "nodes");
            Checks.isTrue(cluster.nodes().get().stream().map(n -> n.id()).collect(Collectors.toSet()).contains(cluster.controller().get().id()), "controller");
        }
    }
}
