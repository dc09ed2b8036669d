package kafka.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import kafka.integration.KafkaServerTestHarness;
import kafka.utils.Logging;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.test.junit.BrokerInsides;
import org.apache.kafka.common.test.junit.SpindleNodes;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.provider.Arguments;
import scala.Option;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/**
 * Stands before Apache Kafka's class of this name on the class path: tests that start brokers of
 * their own get Spindle's, which start with the first of them.
 */
public abstract class QuorumTestHarness implements Logging {
    private static final Set<String> OURS = Set.of(
        "listeners", "advertised.listeners", "log.dir", "log.dirs", "node.id", "broker.id",
        "process.roles", "listener.security.protocol.map", "inter.broker.listener.name",
        "security.inter.broker.protocol", "unstable.api.versions.enable",
        "unstable.feature.versions.enable", "metadata.log.dir");
    private static final Pattern PROTOCOL = Pattern.compile("groupProtocol=(\\w+)");

    private final Set<Integer> running = new TreeSet<>();
    private SpindleNodes nodes;
    private TestInfo testInfo;
    private String logIdent;

    public static Stream<Arguments> getTestGroupProtocolParametersAll() {
        return Stream.of(Arguments.of("classic"), Arguments.of("consumer"));
    }

    public static Stream<Arguments> getTestGroupProtocolParametersClassicGroupProtocolOnly() {
        return Stream.of(Arguments.of("classic"));
    }

    public static Stream<Arguments> getTestGroupProtocolParametersConsumerGroupProtocolOnly() {
        return Stream.of(Arguments.of("consumer"));
    }

    @BeforeEach
    public void setUp(TestInfo info) {
        testInfo = info;
    }

    @AfterEach
    public void tearDown() {
        if (nodes != null) {
            nodes.close();
            nodes = null;
        }
        running.clear();
    }

    public KafkaBroker createBroker(
        KafkaConfig config, Time time, boolean startup, Option<String> threads) {
        int id = config.brokerId();
        KafkaBroker broker = BrokerInsides.broker(
            id, () -> nodes, config, () -> begin(id), () -> end(id));
        if (startup) {
            broker.startup();
        }
        return broker;
    }

    private void begin(int id) {
        if (nodes == null) {
            nodes = new SpindleNodes(shape());
            asJava(((KafkaServerTestHarness) this).configs())
                .forEach(config -> running.add(config.brokerId()));
        } else if (running.add(id)) {
            nodes.start(id);
        }
    }

    private void end(int id) {
        if (nodes != null && running.remove(id)) {
            nodes.stop(id);
        }
    }

    private List<String> shape() {
        List<KafkaConfig> configs = asJava(((KafkaServerTestHarness) this).configs());
        List<String> lines = new ArrayList<>();
        lines.add("brokers " + configs.size());
        lines.add("disks " + configs.get(0).logDirs().size());
        lines.add("level " + metadataVersion().featureLevel());
        for (KafkaConfig config : configs) {
            for (Map.Entry<String, Object> one : config.originals().entrySet()) {
                String name = one.getKey();
                if (!OURS.contains(name) && !name.startsWith("controller.")) {
                    lines.add("own " + config.brokerId() + " " + name + "=" + one.getValue());
                }
            }
        }
        return lines;
    }

    @SuppressWarnings("deprecation")
    private static <T> List<T> asJava(Seq<T> found) {
        return JavaConverters.seqAsJavaList(found);
    }

    public Option<GroupProtocol> maybeGroupProtocolSpecified() {
        Matcher found = PROTOCOL.matcher(testInfo.getDisplayName());
        return found.find() ? Option.apply(GroupProtocol.of(found.group(1))) : Option.empty();
    }

    public GroupProtocol groupProtocolFromTestParameters() {
        return maybeGroupProtocolSpecified().get();
    }

    @SuppressWarnings("deprecation")
    public Seq<Properties> kraftControllerConfigs(TestInfo info) {
        return JavaConverters.asScalaBuffer(new ArrayList<>(List.of(new Properties()))).toSeq();
    }

    @SuppressWarnings("deprecation")
    public Seq<ControllerServer> controllerServers() {
        return JavaConverters.asScalaBuffer(new ArrayList<ControllerServer>()).toSeq();
    }

    public ControllerServer controllerServer() {
        return BrokerInsides.controller(
            nodes.brokers(), ((KafkaServerTestHarness) this).configs().head());
    }

    public SecurityProtocol controllerListenerSecurityProtocol() {
        return SecurityProtocol.PLAINTEXT;
    }

    public MetadataVersion metadataVersion() {
        return MetadataVersion.latestProduction();
    }

    public void addFormatterSettings(Formatter formatter) {
        // Our clusters are formatted as the shape says.
    }

    public Time createBroker$default$2() {
        return Time.SYSTEM;
    }

    public boolean createBroker$default$3() {
        return true;
    }

    public Option<String> createBroker$default$4() {
        return Option.empty();
    }

    @Override
    public String logIdent() {
        return logIdent;
    }

    @Override
    public void logIdent_$eq(String text) {
        logIdent = text;
    }
}
