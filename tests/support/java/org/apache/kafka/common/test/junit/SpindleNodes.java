package org.apache.kafka.common.test.junit;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A cluster of Spindle in a process named by `spindle.cluster`, which runs in the folder
 * `spindle.folder` and is spoken to in lines: the cluster's shape, then `start ID` and `stop ID`, then `end`; each is answered with one line.
 *
 * The process stays for the next cluster: to load its code takes longer than to start nodes.
 */
public final class SpindleNodes {
    private static final Deque<Conversation> IDLE = new ConcurrentLinkedDeque<>();
    private final Conversation conversation;
    private final String brokers;
    private final String controllers;
    private final List<String> files;

    private static final class Conversation {
        private final PrintStream orders;
        private final BufferedReader answers;

        Conversation() {
            try {
                Process process = new ProcessBuilder(
                    System.getProperty("spindle.cluster").split(" "))
                    .directory(new File(System.getProperty("spindle.folder")))
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
                orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
                answers = new BufferedReader(
                    new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            } catch (IOException broken) {
                throw new IllegalStateException(broken);
            }
        }

        String ask(String line) {
            orders.println(line);
            orders.flush();
            try {
                String answer = answers.readLine();
                if (answer == null) {
                    throw new IllegalStateException("the cluster's process has ended");
                }
                return answer;
            } catch (IOException broken) {
                throw new IllegalStateException(broken);
            }
        }
    }

    /** Start a cluster of this shape; returns when all brokers know each other. */
    public SpindleNodes(List<String> shape) {
        Conversation found = IDLE.poll();
        conversation = found == null ? new Conversation() : found;
        shape.forEach(conversation.orders::println);
        String[] told = ask("run").split(" ");
        brokers = told[0];
        controllers = told[1];
        files = Arrays.asList(told).subList(2, told.length);
    }

    private String ask(String line) {
        return conversation.ask(line);
    }

    /** Returns when the broker's process has ended. */
    public void stop(int id) {
        ask("stop " + id);
    }

    /** Returns when the broker is known to the others. */
    public void start(int id) {
        ask("start " + id);
    }

    /** End all of it; its process serves the next one. */
    public void close() {
        ask("end");
        IDLE.push(conversation);
    }

    /** The brokers' addresses, with commas between. */
    public String brokers() {
        return brokers;
    }

    /** The controllers' addresses, with commas between. */
    public String controllers() {
        return controllers;
    }

    /** The brokers' configuration files. */
    public List<String> files() {
        return files;
    }

    /** The address of a broker. */
    String address(int id) {
        return brokers.split(",")[id];
    }
}
