import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordJsonConverters;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordType;

/**
 * Reads coordinators' records with Apache Kafka's classes and writes them again.
 *
 * A line of input is the coordinator (group or share), the key and the value in hexadecimal. The
 * answer is a line: the same two as Kafka writes them, and what they mean in JSON, with tabs between.
 */
public final class CoordinatorRecords {
    private static final HexFormat HEX = HexFormat.of();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(
            new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split("\t");
            ByteBuffer key = ByteBuffer.wrap(HEX.parseHex(words[1]));
            ByteBuffer value = ByteBuffer.wrap(HEX.parseHex(words[2]));
            System.out.println(words[0].equals("share") ? ofShare(key, value) : ofGroup(key, value));
        }
    }

    private static String ofGroup(ByteBuffer key, ByteBuffer value) {
        CoordinatorRecordType type = CoordinatorRecordType.fromId(key.getShort());
        short version = value.getShort();
        ApiMessage name = read(type.newRecordKey(), key, (short) 0);
        ApiMessage content = read(type.newRecordValue(), value, version);
        return String.join("\t", written(name, content, version),
            CoordinatorRecordJsonConverters.writeRecordKeyAsJson(name).toString(),
            CoordinatorRecordJsonConverters.writeRecordValueAsJson(content, version).toString());
    }

    private static String ofShare(ByteBuffer key, ByteBuffer value) {
        var type = org.apache.kafka.coordinator.share.generated.CoordinatorRecordType
            .fromId(key.getShort());
        short version = value.getShort();
        ApiMessage name = read(type.newRecordKey(), key, (short) 0);
        ApiMessage content = read(type.newRecordValue(), value, version);
        return String.join("\t", written(name, content, version),
            org.apache.kafka.coordinator.share.generated.CoordinatorRecordJsonConverters
                .writeRecordKeyAsJson(name).toString(),
            org.apache.kafka.coordinator.share.generated.CoordinatorRecordJsonConverters
                .writeRecordValueAsJson(content, version).toString());
    }

    private static ApiMessage read(ApiMessage message, ByteBuffer bytes, short version) {
        message.read(new ByteBufferAccessor(bytes), version);
        if (bytes.hasRemaining()) {
            throw new IllegalArgumentException(bytes.remaining() + " bytes are left: " + message);
        }
        return message;
    }

    private static String written(ApiMessage key, ApiMessage value, short version) {
        return HEX.formatHex(MessageUtil.toCoordinatorTypePrefixedBytes(key)) + "\t"
            + HEX.formatHex(MessageUtil.toVersionPrefixedBytes(version, value));
    }
}
