import java.util.Arrays;

/** Main check BOOTSTRAP | leave BOOTSTRAP NAME | verify BOOTSTRAP NAME=COUNT… */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Kit.bootstrap = args[1];
        switch (args[0]) {
            case "check" -> {
                ProduceConsume.all();
                Offsets.all();
                Groups.all();
                Administration.all();
            }
            case "leave" -> Kept.leave(args[2]);
            case "verify" -> Kept.verify(Arrays.copyOfRange(args, 2, args.length));
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println("done");
        System.out.flush();
        Runtime.getRuntime().halt(Checks.failed() == 0 ? 0 : 1);
    }
}
