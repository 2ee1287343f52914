import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;

/** Classic groups, with each of the Java client's assignors. */
final class Groups {
    private static final String ASSIGNORS = "org.apache.kafka.clients.consumer.";

    private Groups() {
    }

    static void all() {
        for (String assignor : List.of("RangeAssignor", "RoundRobinAssignor", "StickyAssignor", "CooperativeStickyAssignor"))
            Checks.check("group of two and of one, " + assignor, () -> shared(assignor));
        Checks.check("static member returns without a rebalance", Groups::staticReturn);
        Checks.check("static member is fenced by another of its name", Groups::fenced);
        Checks.check("member that stops polling is replaced", Groups::expired);
        Checks.check("subscription by pattern sees a new topic", Groups::pattern);
        Checks.check("describe, list, delete groups", Groups::administration);
        Checks.check("alter, list, delete a group's offsets", Groups::offsets);
        Checks.check("remove members from a group", Groups::removeMembers);
    }

    static void fill(String topic, int partitions, int from, int to) {
        try (Producer<String, String> producer = Kit.producer()) {
            for (int i = from; i < to; i++)
                producer.send(new ProducerRecord<>(topic, i % partitions, null, "v" + i));
        }
    }

    private static void shared(String assignor) throws Exception {
        String topic = Kit.topic(6);
        String[] config = {"group.id", Kit.name("shared"), "partition.assignment.strategy", ASSIGNORS + assignor};
        fill(topic, 6, 0, 300);
        List<String> values = new ArrayList<>();
        try (Member one = new Member(topic, config)) {
            Checks.eventually(() -> one.assigned.size() == 6 && one.values.size() == 300, "one has all");
            try (Member two = new Member(topic, config)) {
                Checks.eventually(() -> one.assigned.size() == 3 && two.assigned.size() == 3, "three each");
                fill(topic, 6, 300, 600);
                Checks.eventually(() -> one.values.size() + two.values.size() == 600, "all read");
                Checks.isTrue(two.values.size() == 150, "half by the second, was " + two.values.size());
                values.addAll(two.values);
            }
            Checks.eventually(() -> one.assigned.size() == 6, "one has all again");
            fill(topic, 6, 600, 660);
            Checks.eventually(() -> one.values.size() + values.size() == 660, "all read");
            values.addAll(one.values);
            Checks.equal(null, one.failure, "failure");
        }
        Checks.equal(660, new HashSet<>(values).size(), "each record once");
    }

    private static void staticReturn() throws Exception {
        String topic = Kit.topic(4);
        String group = Kit.name("static");
        String[] a = {"group.id", group, "group.instance.id", "a", "session.timeout.ms", "60000"};
        String[] b = {"group.id", group, "group.instance.id", "b", "session.timeout.ms", "60000"};
        fill(topic, 4, 0, 40);
        try (Member one = new Member(topic, a)) {
            Set<TopicPartition> before;
            try (Member two = new Member(topic, b)) {
                Checks.eventually(() -> one.assigned.size() == 2 && two.assigned.size() == 2, "two each");
                before = new HashSet<>(two.assigned);
            }
            int revocations = one.revocations.get();
            try (Member two = new Member(topic, b)) {
                Checks.eventually(() -> two.assigned.size() == 2, "two again");
                Checks.equal(before, new HashSet<>(two.assigned), "the same partitions");
                Checks.equal(revocations, one.revocations.get(), "revocations of the other");
            }
        }
    }

    private static void fenced() throws Exception {
        String topic = Kit.topic(1);
        String[] config = {"group.id", Kit.name("fenced"), "group.instance.id", "same"};
        try (Member first = new Member(topic, config)) {
            Checks.eventually(() -> first.assigned.size() == 1, "assigned");
            try (Member second = new Member(topic, config)) {
                Checks.eventually(() -> first.failure instanceof FencedInstanceIdException, "the first is fenced");
                Checks.eventually(() -> second.assigned.size() == 1, "the second has the partition");
            }
        }
    }

    private static void expired() throws Exception {
        String topic = Kit.topic(2);
        String[] config = {"group.id", Kit.name("expired"), "session.timeout.ms", "2000", "max.poll.interval.ms", "3000"};
        try (Consumer<String, String> silent = Kit.consumer(config)) {
            silent.subscribe(List.of(topic));
            fill(topic, 2, 0, 2);
            Kit.read(silent, 2);
            try (Member other = new Member(topic, config)) {
                Checks.eventually(() -> other.assigned.size() == 2, "the other takes over");
            }
        }
    }

    private static void pattern() throws Exception {
        String prefix = Kit.name("pattern");
        try (Consumer<String, String> consumer = Kit.consumer("group.id", Kit.name("pattern"), "metadata.max.age.ms", "500");
             Producer<String, String> producer = Kit.producer()) {
            producer.send(new ProducerRecord<>(prefix + "-1", null, "first")).get();
            consumer.subscribe(Pattern.compile(prefix + "-.*"));
            Checks.equal("first", Kit.read(consumer, 1).get(0).value(), "value");
            consumer.commitSync();
            producer.send(new ProducerRecord<>(prefix + "-2", null, "second")).get();
            Checks.equal("second", Kit.read(consumer, 1).get(0).value(), "value of the new topic");
        }
    }

    private static void administration() throws Exception {
        String topic = Kit.topic(2);
        String group = Kit.name("described");
        fill(topic, 2, 0, 10);
        try (Admin admin = Kit.admin()) {
            try (Member member = new Member(topic, "group.id", group, "client.id", "who")) {
                Checks.eventually(() -> member.values.size() == 10, "read");
                ConsumerGroupDescription described = admin.describeConsumerGroups(List.of(group)).describedGroups().get(group).get();
                Checks.equal("range", described.partitionAssignor(), "assignor");
                var only = described.members().iterator().next();
                Checks.equal(2, only.assignment().topicPartitions().size(), "assigned");
                Checks.equal("who", only.clientId(), "client id");
                Checks.equal("/127.0.0.1", only.host(), "host");
                Checks.isTrue(described.coordinator().port() > 0, "coordinator");
                Checks.isTrue(admin.listConsumerGroups().all().get().stream().anyMatch(g -> g.groupId().equals(group)), "listed");
                Checks.fails(GroupNotEmptyException.class, () -> admin.deleteConsumerGroups(List.of(group)).deletedGroups().get(group).get());
                Checks.fails(GroupSubscribedToTopicException.class,
                    () -> admin.deleteConsumerGroupOffsets(group, Set.of(new TopicPartition(topic, 0))).partitionResult(new TopicPartition(topic, 0)).get());
            }
            Checks.equal(5, admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().get(new TopicPartition(topic, 1)).offset(), "committed");
            admin.deleteConsumerGroups(List.of(group)).all().get();
            Checks.isTrue(admin.listConsumerGroups().all().get().stream().noneMatch(g -> g.groupId().equals(group)), "not listed");
            Checks.fails(GroupIdNotFoundException.class, () -> admin.deleteConsumerGroups(List.of(group)).deletedGroups().get(group).get());
        }
    }

    private static void offsets() throws Exception {
        String topic = Kit.topic(2);
        String group = Kit.name("offsets");
        TopicPartition p0 = new TopicPartition(topic, 0);
        TopicPartition p1 = new TopicPartition(topic, 1);
        fill(topic, 2, 0, 20);
        try (Admin admin = Kit.admin()) {
            admin.alterConsumerGroupOffsets(group, Map.of(p0, new OffsetAndMetadata(3), p1, new OffsetAndMetadata(4, "m"))).all().get();
            var listed = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
            Checks.equal(3, listed.get(p0).offset(), "offset");
            Checks.equal("m", listed.get(p1).metadata(), "metadata");
            admin.deleteConsumerGroupOffsets(group, Set.of(p0)).all().get();
            Checks.equal(null, admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().get(p0), "deleted");
            try (Consumer<String, String> consumer = Kit.consumer("group.id", group)) {
                consumer.subscribe(List.of(topic));
                Kit.read(consumer, 10 + 6);
            }
        }
    }

    private static void removeMembers() throws Exception {
        String topic = Kit.topic(1);
        String group = Kit.name("removed");
        try (Admin admin = Kit.admin(); Member member = new Member(topic, "group.id", group, "group.instance.id", "one")) {
            Checks.eventually(() -> member.assigned.size() == 1, "assigned");
            admin.removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove("one")))).all().get();
        }
        try (Admin admin = Kit.admin(); Member member = new Member(topic, "group.id", group)) {
            Checks.eventually(() -> member.assigned.size() == 1, "assigned");
            admin.removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions()).all().get();
            Checks.eventually(() -> member.assigned.size() == 1, "joined again");
        }
    }
}
