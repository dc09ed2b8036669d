import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs Apache Kafka's tools in one process, so that many command lines cost one start.
 *
 * The arguments are two files. Each line of input is a command line in Base64, with tabs between:
 * what the tool reads, its class, its arguments. What it prints is in the files afterwards, and the
 * answer is a line with its exit code. What a tool prints after its exit is lost, as it is where
 * the process ends; the hooks that it has left for its end run.
 */
public final class ResidentTools {
    /** Leaves a tool, through all that it closes on the way. */
    private static final class Ended extends RuntimeException {
        Ended() {
            super(null, null, false, false);
        }
    }

    /** Some libraries keep the stream that they find first: it stays, where it leads to changes. */
    private static final class Outlet extends OutputStream {
        private OutputStream to = OutputStream.nullOutputStream();

        synchronized void lead(OutputStream next) throws IOException {
            to.close();
            to = next;
        }

        @Override
        public synchronized void write(int one) throws IOException {
            to.write(one);
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int size) throws IOException {
            to.write(bytes, from, size);
        }
    }

    /** The same for what is read. */
    private static final class Inlet extends InputStream {
        private InputStream from = InputStream.nullInputStream();

        @Override
        public int read() throws IOException {
            return from.read();
        }

        @Override
        public int read(byte[] bytes, int at, int size) throws IOException {
            return from.read(bytes, at, size);
        }
    }

    private static final Outlet OUT = new Outlet();
    private static final Outlet ERR = new Outlet();
    private static final Inlet IN = new Inlet();
    private static final List<Runnable> HOOKS = new ArrayList<>();
    private static Integer exit;

    public static void main(String[] files) throws Exception {
        PrintStream answers = System.out;
        BufferedReader lines = new BufferedReader(
            new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.setOut(lasting(OUT));
        System.setErr(lasting(ERR));
        System.setIn(IN);
        Exit.setExitProcedure((code, message) -> end(code));
        Exit.setHaltProcedure((code, message) -> end(code));
        keepHooks();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            OUT.lead(Files.newOutputStream(Path.of(files[0])));
            ERR.lead(Files.newOutputStream(Path.of(files[1])));
            answers.println("ended " + run(line.split("\t", -1)));
            answers.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    /** Before 2.5 a tool leaves its hooks with Java: they do not run here. */
    private static void keepHooks() throws ReflectiveOperationException {
        Class<?> adder;
        try {
            adder = Class.forName(Exit.class.getName() + "$ShutdownHookAdder");
        } catch (ClassNotFoundException older) {
            return;
        }
        Object keeper = Proxy.newProxyInstance(adder.getClassLoader(), new Class<?>[] {adder},
            (self, method, arguments) -> {
                HOOKS.add((Runnable) arguments[1]);
                return null;
            });
        Exit.class.getMethod("setShutdownHookAdder", adder).invoke(null, keeper);
    }

    /** A tool may close it: for the next one it is open. */
    private static PrintStream lasting(Outlet outlet) {
        return new PrintStream(outlet, true, StandardCharsets.UTF_8) {
            @Override
            public void close() {
                flush();
            }
        };
    }

    private static void end(int code) {
        if (exit == null) {
            exit = code;
            mute();
        }
        throw new Ended();
    }

    private static int run(String[] encoded) throws ReflectiveOperationException {
        byte[][] words = Arrays.stream(encoded).map(Base64.getDecoder()::decode)
            .toArray(byte[][]::new);
        String[] command = Arrays.stream(words).skip(1)
            .map(word -> new String(word, StandardCharsets.UTF_8)).toArray(String[]::new);
        IN.from = new ByteArrayInputStream(words[0]);
        exit = null;
        int code = called(command[0], Arrays.copyOfRange(command, 1, command.length));
        for (Runnable hook : List.copyOf(HOOKS)) {
            hook.run();
        }
        HOOKS.clear();
        mute();
        return exit == null ? code : exit;
    }

    private static int called(String tool, String[] arguments) throws ReflectiveOperationException {
        try {
            Class.forName(tool).getMethod("main", String[].class).invoke(null, (Object) arguments);
            return 0;
        } catch (InvocationTargetException thrown) {
            System.err.print("Exception in thread \"main\" "); // Unheard where it has ended.
            thrown.getCause().printStackTrace();
            return 1;
        }
    }

    private static void mute() {
        try {
            OUT.lead(OutputStream.nullOutputStream());
            ERR.lead(OutputStream.nullOutputStream());
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
