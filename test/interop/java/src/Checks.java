import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;

/** Runs named checks and prints one ok or FAIL line for each. */
final class Checks {
    interface Body {
        void run() throws Exception;
    }

    private static int failed;
    private static final String ONLY = System.getProperty("only", "");

    private Checks() {
    }

    static void check(String name, Body body) {
        if (!name.contains(ONLY))
            return;
        long began = System.nanoTime();
        try {
            body.run();
            System.out.printf("ok    %s (%d ms)%n", name, (System.nanoTime() - began) / 1_000_000);
        } catch (Throwable e) {
            failed++;
            System.out.println("FAIL  " + name + ": " + String.valueOf(e).replace('\n', ' '));
            e.printStackTrace();
        }
    }

    static int failed() {
        return failed;
    }

    static void equal(Object expected, Object actual, String what) {
        if (!String.valueOf(expected).equals(String.valueOf(actual)))
            throw new AssertionError(what + ": expected " + expected + ", got " + actual);
    }

    static void isTrue(boolean condition, String what) {
        if (!condition)
            throw new AssertionError(what);
    }

    /** The exception's class must be one of this name (as a word of Kafka's errors package), thrown or as a cause. */
    static void fails(Class<? extends Throwable> expected, Body body) throws Exception {
        try {
            body.run();
        } catch (Throwable e) {
            Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
            if (expected.isInstance(cause))
                return;
            throw new AssertionError("expected " + expected.getSimpleName() + ", got " + cause, cause);
        }
        throw new AssertionError("expected " + expected.getSimpleName() + ", nothing was thrown");
    }

    static void eventually(BooleanSupplier condition, String what) throws InterruptedException {
        long end = System.currentTimeMillis() + 60_000;
        while (!condition.getAsBoolean()) {
            if (System.currentTimeMillis() > end)
                throw new AssertionError("not within 20 s: " + what);
            Thread.sleep(20);
        }
    }

    static <T> T only(List<T> list) {
        equal(1, list.size(), "size");
        return list.get(0);
    }
}
