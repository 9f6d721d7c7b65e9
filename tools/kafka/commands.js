// Runs commands of Kafka's own tools in one Java machine (`tools/kafka/node commands`). Each
// line of standard input is one, as a JSON list of its words, such as ["kafka-acls.sh",
// "--list"]; after each one `done` is printed. A command that fails ends the machine.
var TOOLS = {
    "kafka-acls.sh": Packages.org.apache.kafka.tools.AclCommand,
    "kafka-configs.sh": Packages.kafka.admin.ConfigCommand
};

function run(words) {
    var name = words.shift();
    if (!TOOLS[name]) throw new Error("no tool of Kafka here is called " + name);
    var args = java.lang.reflect.Array.newInstance(java.lang.String, words.length);
    words.forEach(function (word, i) { args[i] = word; });
    TOOLS[name].main(args);
    java.lang.System.out.println("done");
}

var input = new java.io.BufferedReader(new java.io.InputStreamReader(java.lang.System["in"]));
for (var line = input.readLine(); line !== null; line = input.readLine()) run(JSON.parse(line));
