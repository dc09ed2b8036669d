package org.apache.kafka.common.test.junit;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.console.ConsoleLauncher;

/**
 * JUnit's console launcher for a process that stays: its own `main` ends the process.
 *
 * The clusters' process stays as well, for the classes to come.
 */
public final class SpindleLauncher {
    private SpindleLauncher() {
    }

    public static void main(String[] words) {
        PrintWriter said = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        ConsoleLauncher.run(said, said, words);
        said.flush();
    }
}
