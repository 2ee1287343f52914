"""confluent-kafka (librdkafka): checklist.py check|leave|verify HOST:PORT …, as ../java/src/Main.java."""

import sys
import time
import traceback
import uuid

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

MODE, BOOTSTRAP, *ARGS = sys.argv[1:]
CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
failed = 0


def check(name, body, *args):
    global failed
    began = time.monotonic()
    try:
        body(*args)
        print(f"ok    {name} ({(time.monotonic() - began) * 1000:.0f} ms)", flush=True)
    except Exception as error:  # each check is by itself
        failed += 1
        print(f"FAIL  {name}: {error!r}".replace("\n", " "), flush=True)
        traceback.print_exc()


def equal(expected, actual, what):
    assert expected == actual, f"{what}: expected {expected!r}, got {actual!r}"


def fresh(prefix="py"):
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


ADMIN = AdminClient({"bootstrap.servers": BOOTSTRAP})


def producer(**config):
    named = {key.replace("_", "."): value for key, value in config.items()}
    return Producer({"bootstrap.servers": BOOTSTRAP, "linger.ms": 5, **named})


def consumer(group=None, **config):
    named = {key.replace("_", "."): value for key, value in config.items()}
    defaults = {
        "bootstrap.servers": BOOTSTRAP,
        "group.id": group or fresh("g"),
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "heartbeat.interval.ms": 300,
    }
    return Consumer({**defaults, **named})


def topic(partitions=1, **config):
    name = fresh()
    configs = {key.replace("_", "."): value for key, value in config.items()}
    ADMIN.create_topics([NewTopic(name, partitions, 1, config=configs)])[name].result(60)
    wait_until(lambda: len(ADMIN.list_topics(name, 60).topics[name].partitions) == partitions, "the topic's leaders")
    return name


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def send(p, name, count, partitions=1, start=0):
    errors = []
    for i in range(start, start + count):
        p.produce(name, f"v{i}", f"k{i}", i % partitions, on_delivery=lambda e, m: e and errors.append(e))
    equal(0, p.flush(90), "unsent")
    equal([], errors, "delivery errors")


def read(c, count, seconds=60):
    records, end = [], time.monotonic() + seconds
    while len(records) < count and time.monotonic() < end:
        for message in c.consume(500, 0.2):
            assert message.error() is None, message.error()
            records.append(message)
    equal(count, len(records), "records read")
    return records


def read_all(name, partitions, count, **config):
    c = consumer(**config)
    try:
        c.assign([TopicPartition(name, p, 0) for p in range(partitions)])
        return read(c, count)
    finally:
        c.close()


def codec(kind):
    name = topic(3)
    send(producer(compression_type=kind), name, 600, 3)
    values = sorted((m.partition(), m.offset(), m.value().decode()) for m in read_all(name, 3, 600))
    equal([(p, i, f"v{i * 3 + p}") for p in range(3) for i in range(200)], values, "records")


def shapes():
    name = topic()
    p = producer()
    p.produce(name, b"v", b"k", headers=[("a", b"1"), ("a", b"2"), ("null", None)])
    p.produce(name, None, b"tombstone")
    p.produce(name, b"no key", None)
    p.flush(90)
    first, second, third = read_all(name, 1, 3)
    equal([("a", b"1"), ("a", b"2"), ("null", None)], first.headers(), "headers")
    equal(None, second.value(), "tombstone")
    equal(None, third.key(), "null key")


def idempotent():
    name = topic()
    send(producer(enable_idempotence=True, batch_size=500), name, 2000)
    equal([f"v{i}" for i in range(2000)], [m.value().decode() for m in read_all(name, 1, 2000)], "order")


def acks(level):
    name = topic()
    send(producer(acks=level), name, 100)
    read_all(name, 1, 100)


def large():
    name = topic(max_message_bytes="12000000")
    value = bytes(range(256)) * (10 * 4096)
    p = producer(message_max_bytes=12_000_000)
    p.produce(name, value)
    equal(0, p.flush(90), "unsent")
    (message,) = read_all(name, 1, 1, fetch_message_max_bytes=12_000_000, receive_message_max_bytes=60_000_000)
    assert message.value() == value, "the bytes of the message"


def group(strategy):
    name, group_id = topic(6), fresh("group")
    p = producer()
    send(p, name, 300, 6)
    one = consumer(group_id, partition_assignment_strategy=strategy)
    one.subscribe([name])
    values = [m.value() for m in read(one, 300)]
    one.commit(asynchronous=False)
    two = consumer(group_id, partition_assignment_strategy=strategy)
    two.subscribe([name])
    end = time.monotonic() + 60
    while not (len(one.assignment()) == 3 and len(two.assignment()) == 3):
        assert time.monotonic() < end, f"three each: {one.assignment()} {two.assignment()}"
        values += [m.value() for c in (one, two) for m in c.consume(500, 0.1)]
    send(p, name, 300, 6, 300)
    while len(values) < 600:
        assert time.monotonic() < end + 60, f"all read: {len(values)}"
        values += [m.value() for c in (one, two) for m in c.consume(500, 0.1)]
    for c in (one, two):
        c.commit(asynchronous=False)
        c.close()
    equal(600, len(set(values)), "each record once")
    equal(600, len(values), "no record twice")


def offsets():
    name, group_id = topic(retention_ms="-1"), fresh("commit")
    p = producer(linger_ms=0, batch_size=1)
    for i in range(20):
        p.produce(name, f"v{i}", partition=0, timestamp=1_700_000_000_000 + i * 1000)
        p.flush(90)
    c = consumer(group_id)
    part = TopicPartition(name, 0)
    equal((0, 20), c.get_watermark_offsets(part, 60), "watermarks")
    (found,) = c.offsets_for_times([TopicPartition(name, 0, 1_700_000_000_000 + 4500)], 60)
    equal(5, found.offset, "offset for a time")
    c.assign([TopicPartition(name, 0, 12)])
    equal("v12", read(c, 8)[0].value().decode(), "from the offset")
    c.seek(TopicPartition(name, 0, 3))
    equal("v3", read(c, 17)[0].value().decode(), "after seek")
    c.commit(offsets=[TopicPartition(name, 0, 7, metadata="note")], asynchronous=False)
    (committed,) = c.committed([part], 10)
    equal((7, "note"), (committed.offset, committed.metadata), "committed")
    c.close()
    c = consumer(group_id)
    c.subscribe([name])
    equal(7, read(c, 13)[0].offset(), "resumed at")
    c.close()


def topics_admin():
    a, name = ADMIN, fresh()
    a.create_topics([NewTopic(name, 2, 1, config={"retention.ms": "3600000"})])[name].result(60)
    wait_until(lambda: name in a.list_topics(timeout=60).topics, "listed")
    try:
        a.create_topics([NewTopic(name, 2, 1)])[name].result(60)
        raise AssertionError("created twice")
    except KafkaException as error:
        equal("TOPIC_ALREADY_EXISTS", error.args[0].name(), "error")
    a.create_partitions([NewPartitions(name, 4)])[name].result(60)
    wait_until(lambda: len(a.list_topics(name, 60).topics[name].partitions) == 4, "four partitions")
    resource = ConfigResource(ResourceType.TOPIC, name)
    equal("3600000", a.describe_configs([resource])[resource].result(60)["retention.ms"].value, "config")
    change = ConfigResource(ResourceType.TOPIC, name)
    change.add_incremental_config(ConfigEntry("retention.ms", "1000", incremental_operation=AlterConfigOpType.SET))
    a.incremental_alter_configs([change])[change].result(60)
    wait_until(lambda: a.describe_configs([resource])[resource].result(60)["retention.ms"].value == "1000", "altered")
    cluster = a.describe_cluster().result(60)
    assert cluster.cluster_id and len(cluster.nodes) == 1, "cluster"
    a.delete_topics([name])[name].result(60)
    wait_until(lambda: name not in a.list_topics(timeout=60).topics, "deleted")


def records_admin():
    a, name = ADMIN, topic()
    send(producer(), name, 20)
    part = TopicPartition(name, 0)
    equal(20, a.list_offsets({part: OffsetSpec.latest()})[part].result(60).offset, "latest")
    equal(5, a.delete_records([TopicPartition(name, 0, 5)])[part].result(60).low_watermark, "low watermark")
    equal(5, a.list_offsets({part: OffsetSpec.earliest()})[part].result(60).offset, "earliest")


def groups_admin():
    a, name, group_id = ADMIN, topic(), fresh("admin")
    send(producer(), name, 10)
    c = consumer(group_id)
    c.subscribe([name])
    read(c, 10)
    c.commit(asynchronous=False)
    described = a.describe_consumer_groups([group_id])[group_id].result(60)
    equal((1, "STABLE"), (len(described.members), described.state.name), "described")
    assert group_id in [g.group_id for g in a.list_consumer_groups().result(60).valid], "listed"
    c.close()
    ask = ConsumerGroupTopicPartitions(group_id, [TopicPartition(name, 0)])
    (listed,) = a.list_consumer_group_offsets([ask])[group_id].result(60).topic_partitions
    equal(10, listed.offset, "offset")
    change = ConsumerGroupTopicPartitions(group_id, [TopicPartition(name, 0, 3)])
    a.alter_consumer_group_offsets([change])[group_id].result(60)
    (listed,) = a.list_consumer_group_offsets([ask])[group_id].result(60).topic_partitions
    equal(3, listed.offset, "altered")
    a.delete_consumer_groups([group_id])[group_id].result(60)
    assert group_id not in [g.group_id for g in a.list_consumer_groups().result(60).valid], "deleted"


def value(i):
    return f"value-{i}-" + "x" * 200


def leave(client):
    name = f"left-{client}"
    for kind in CODECS:
        p = producer(compression_type=kind, linger_ms=20)
        for i in range(25):
            p.produce(name, value(i), f"{kind}-{i}", headers=[("codec", kind.encode())])
        equal(0, p.flush(90), "unsent")
    c = consumer(name)
    c.commit(offsets=[TopicPartition(name, 0, 10)], asynchronous=False)
    c.close()


def verify(client, count):
    name = f"left-{client}"
    for at, m in enumerate(read_all(name, 1, count)):
        kind = m.key().decode().rsplit("-", 1)[0]
        equal((at, f"{kind}-{at % 25}", value(at % 25)), (m.offset(), m.key().decode(), m.value().decode()), "record")
        equal([("codec", kind.encode())], m.headers(), "headers")
    c = consumer(name)
    equal(10, c.committed([TopicPartition(name, 0)], 10)[0].offset, "committed")
    c.close()


def check_all():
    for kind in CODECS:
        check(f"produce and consume, {kind}", codec, kind)
    check("keys, headers, tombstones", shapes)
    check("idempotent producer", idempotent)
    for level in (0, 1):
        check(f"acks={level}", acks, level)
    check("10 MiB message with the limits raised", large)
    for strategy in ("range", "roundrobin", "cooperative-sticky"):
        check(f"group of two, {strategy}", group, strategy)
    check("offsets: watermarks, for times, seek, commit, resume", offsets)
    check("admin: topics, partitions, configs, cluster", topics_admin)
    check("admin: list offsets, delete records", records_admin)
    check("admin: groups and their offsets", groups_admin)


if MODE == "check":
    check_all()
elif MODE == "leave":
    check("leave records and an offset", leave, ARGS[0])
else:
    for other in ARGS:
        who, _, many = other.partition("=")
        check(f"read what {who} left", verify, who, int(many))
print("done", flush=True)
sys.exit(1 if failed else 0)
