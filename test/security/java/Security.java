import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ResourceNotFoundException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnacceptableCredentialException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Security PLAINTEXT SASL_SSL SSL SASL_PLAINTEXT DIR: the Java client logs in, and is refused, in every way. */
public final class Security {
    private static int failed;
    private static String plaintext, saslSsl, ssl, saslPlaintext, directory;

    private interface Check {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        plaintext = args[0];
        saslSsl = args[1];
        ssl = args[2];
        saslPlaintext = args[3];
        directory = args[4];
        check("users are made by an admin client", Security::makeUsers);
        check("users are described, changed and deleted", Security::administerUsers);
        for (String mechanism : List.of("SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN"))
            check(mechanism + " over TLS", () -> roundTrip(saslSsl, sasl("SASL_SSL", mechanism, "alice", "alice-secret")));
        check("SCRAM without TLS", () -> roundTrip(saslPlaintext, sasl("SASL_PLAINTEXT", "SCRAM-SHA-512", "alice", "alice-secret")));
        check("a name with commas and equals signs", () -> roundTrip(saslSsl, sasl("SASL_SSL", "SCRAM-SHA-512", "a=b,c", "x")));
        check("PLAIN of the configuration", () -> roundTrip(saslSsl, sasl("SASL_SSL", "PLAIN", "bob", "bob-secret")));
        check("a certificate", () -> roundTrip(ssl, certificate("alice")));
        for (String user : List.of("alice", "nobody"))
            check("a wrong password of " + user, () -> refused(saslSsl, sasl("SASL_SSL", "SCRAM-SHA-512", user, "wrong"),
                SaslAuthenticationException.class, "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512"));
        check("a wrong password by PLAIN", () -> refused(saslSsl, sasl("SASL_SSL", "PLAIN", "alice", "wrong"),
            SaslAuthenticationException.class, "invalid credentials with SASL mechanism PLAIN"));
        check("a mechanism that is not enabled", () -> refused(saslPlaintext, sasl("SASL_PLAINTEXT", "PLAIN", "alice", "alice-secret"),
            UnsupportedSaslMechanismException.class, "[SCRAM-SHA-256, SCRAM-SHA-512]"));
        check("no certificate", () -> refused(ssl, tls("SSL"), SslAuthenticationException.class, ""));
        check("a stranger's certificate", () -> refused(ssl, certificate("stranger"), null, ""));
        check("sessions are renewed", Security::renewed);
        System.out.println("done");
        System.out.flush();
        Runtime.getRuntime().halt(failed == 0 ? 0 : 1);
    }

    private static void check(String name, Check check) {
        try {
            check.run();
            System.out.println("ok    " + name);
        } catch (Throwable problem) {
            failed++;
            System.out.println("FAIL  " + name + ": " + problem);
            problem.printStackTrace();
        }
    }

    private static Map<String, Object> base(String bootstrap, String protocol) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("security.protocol", protocol);
        config.put("request.timeout.ms", "60000");
        config.put("default.api.timeout.ms", "60000");
        return config;
    }

    private static Map<String, Object> tls(String protocol) {
        Map<String, Object> config = base("", protocol);
        config.put("ssl.truststore.type", "PEM");
        config.put("ssl.truststore.location", directory + "/ca.pem");
        return config;
    }

    private static Map<String, Object> certificate(String name) {
        Map<String, Object> config = tls("SSL");
        config.put("ssl.keystore.type", "PEM");
        config.put("ssl.keystore.location", directory + "/" + name + ".pem");
        return config;
    }

    private static Map<String, Object> sasl(String protocol, String mechanism, String user, String password) {
        Map<String, Object> config = protocol.equals("SASL_SSL") ? tls(protocol) : base("", protocol);
        String module = mechanism.equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
        config.put("sasl.mechanism", mechanism);
        config.put("sasl.jaas.config", "org.apache.kafka.common.security." + module + " required username=\"" + user
            + "\" password=\"" + password + "\";");
        return config;
    }

    private static void makeUsers() throws Exception {
        try (Admin admin = Admin.create(base(plaintext, "PLAINTEXT"))) {
            for (ScramMechanism mechanism : List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)) {
                ScramCredentialInfo info = new ScramCredentialInfo(mechanism, 8192);
                admin.alterUserScramCredentials(List.of(
                    new UserScramCredentialUpsertion("alice", info, "alice-secret"),
                    new UserScramCredentialUpsertion("a=b,c", info, "x"))).all().get();
            }
        }
    }

    private static void administerUsers() throws Exception {
        try (Admin admin = Admin.create(base(plaintext, "PLAINTEXT"))) {
            same(List.of("a=b,c", "alice"), admin.describeUserScramCredentials().users().get().stream().sorted().toList());
            same(2, admin.describeUserScramCredentials(List.of("alice")).description("alice").get().credentialInfos().size());
            thrown(ResourceNotFoundException.class, () -> admin.describeUserScramCredentials(List.of("nobody")).description("nobody").get());
            thrown(UnacceptableCredentialException.class, () -> admin.alterUserScramCredentials(List.of(
                new UserScramCredentialUpsertion("carol", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 100), "x"))).all().get());
            admin.alterUserScramCredentials(List.of(
                new UserScramCredentialUpsertion("carol", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "x"))).all().get();
            roundTrip(saslSsl, sasl("SASL_SSL", "SCRAM-SHA-256", "carol", "x"));
            admin.alterUserScramCredentials(List.of(
                new UserScramCredentialUpsertion("carol", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "y"))).all().get();
            roundTrip(saslSsl, sasl("SASL_SSL", "SCRAM-SHA-256", "carol", "y"));
            refused(saslSsl, sasl("SASL_SSL", "SCRAM-SHA-256", "carol", "x"), SaslAuthenticationException.class, "");
            admin.alterUserScramCredentials(List.of(new UserScramCredentialDeletion("carol", ScramMechanism.SCRAM_SHA_256))).all().get();
            refused(saslSsl, sasl("SASL_SSL", "SCRAM-SHA-256", "carol", "y"), SaslAuthenticationException.class, "");
            thrown(ResourceNotFoundException.class, () -> admin.alterUserScramCredentials(
                List.of(new UserScramCredentialDeletion("carol", ScramMechanism.SCRAM_SHA_256))).all().get());
        }
    }

    private static KafkaProducer<String, String> producer(String bootstrap, Map<String, Object> login) {
        Map<String, Object> config = new HashMap<>(login);
        config.put("bootstrap.servers", bootstrap);
        config.remove("default.api.timeout.ms");
        config.put("delivery.timeout.ms", "90000");
        config.put("max.block.ms", "60000");
        return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    }

    private static void roundTrip(String bootstrap, Map<String, Object> login) throws Exception {
        String topic = "security-" + UUID.randomUUID().toString().substring(0, 8);
        try (KafkaProducer<String, String> producer = producer(bootstrap, login)) {
            for (int i = 0; i < 100; i++)
                producer.send(new ProducerRecord<>(topic, "value " + i + "x".repeat(5000)));
            producer.flush();
            producer.send(new ProducerRecord<>(topic, "last")).get();
        }
        Map<String, Object> config = new HashMap<>(login);
        config.put("bootstrap.servers", bootstrap);
        config.put("group.id", topic);
        config.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            int count = 0;
            for (long end = System.nanoTime() + 60_000_000_000L; count < 101 && System.nanoTime() < end; )
                count += consumer.poll(Duration.ofMillis(200)).count();
            same(101, count);
        }
    }

    private static void refused(String bootstrap, Map<String, Object> login, Class<? extends Throwable> expected, String message) throws Exception {
        Map<String, Object> config = new HashMap<>(login);
        config.put("bootstrap.servers", bootstrap);
        try (Admin admin = Admin.create(config)) {
            admin.listTopics().names().get();
        } catch (ExecutionException problem) {
            Throwable cause = problem.getCause();
            if (expected != null && !expected.isInstance(cause)) throw new AssertionError("refused by " + cause, cause);
            if (!String.valueOf(cause.getMessage()).contains(message)) throw new AssertionError("refused with " + cause.getMessage());
            return;
        }
        throw new AssertionError("was let in");
    }

    /**
     * The broker ends sessions after five seconds; a client that renews them in time, which it may not on a busy machine,
     * goes on with its connections.
     */
    private static void renewed() throws Exception {
        try (KafkaProducer<String, String> producer = producer(saslSsl, sasl("SASL_SSL", "SCRAM-SHA-512", "alice", "alice-secret"))) {
            double connections = 0, before = 0;
            for (long end = System.nanoTime() + 120_000_000_000L; System.nanoTime() < end; Thread.sleep(200)) {
                producer.send(new ProducerRecord<>("renewed", "value")).get();
                double created = metric(producer, "connection-creation-total"), renewals = metric(producer, "successful-reauthentication-total");
                if (created == connections && renewals >= before + 2) return;
                if (created != connections) before = renewals;
                connections = created;
            }
            throw new AssertionError(connections + " connections: sessions were not renewed in place");
        }
    }

    private static double metric(KafkaProducer<String, String> producer, String name) {
        return producer.metrics().values().stream()
            .filter(metric -> metric.metricName().name().equals(name) && metric.metricName().group().equals("producer-metrics"))
            .mapToDouble(metric -> ((Number) metric.metricValue()).doubleValue()).sum();
    }

    private static void same(Object expected, Object actual) {
        if (!expected.equals(actual)) throw new AssertionError("expected " + expected + ", got " + actual);
    }

    private static void thrown(Class<? extends Throwable> expected, Check check) throws Exception {
        try {
            check.run();
        } catch (ExecutionException problem) {
            if (expected.isInstance(problem.getCause())) return;
            throw new AssertionError("failed by " + problem.getCause(), problem.getCause());
        }
        throw new AssertionError("did not fail by " + expected.getSimpleName());
    }
}
