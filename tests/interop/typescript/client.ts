// A client whose types are generated from docs/openapi.json (openapi-typescript, openapi-fetch) makes a tour of
// the HTTP API. Whatever the document does not have is an error of the compiler. Prints a JSON line: which
// operations were called.
//
//     node client.js BASE TOKEN SPACE CHANNEL SYSTEM

import createClient from "openapi-fetch";
import type { paths } from "./lore.js";

declare const process: { argv: string[] };

const [base, token, space, channel, system] = process.argv.slice(2) as [string, string, string, string, string];
const lore = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${token}` } });
const called: string[] = [];

function done<T>(operation: string, answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${operation}: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
  called.push(operation);
  return answer.data;
}

function is(what: boolean, said: unknown): void {
  if (!what) throw new Error(JSON.stringify(said));
}

const path = { space };
const body = { question: "How do I mount an iso image?" };
const reply = done("ask", await lore.POST("/spaces/{space}/ask", { params: { path }, body }));
is(reply.outcome === "answered" && reply.answer.includes("loop"), reply);

const live = { params: { path }, body, parseAs: "text" } as const;
const events = String(done("askEvents", await lore.POST("/spaces/{space}/ask/events", live)));
is(events.indexOf("event: found") < events.indexOf("event: reply"), events);

const query = { q: "mount an iso image", limit: 5 };
const cases = done("listCases", await lore.GET("/spaces/{space}/cases", { params: { path, query } }));
const one = { space, case: cases.cases[0]!.case };
const found = await lore.GET("/spaces/{space}/cases/{case}", { params: { path: one } });
is(done("getCase", found).case === one.case, found.data);
done("whyCase", await lore.GET("/spaces/{space}/cases/{case}/why", { params: { path: one } }));
const header = { "If-Match": found.response.headers.get("etag") };
const solution = { solution: "sudo mount -o loop image.iso /mnt" };
const put = { params: { path: one, header }, body: solution };
const corrected = done("correctCase", await lore.PUT("/spaces/{space}/cases/{case}/solution", put));
is(corrected.solution === solution.solution, corrected);
const late = await lore.PUT("/spaces/{space}/cases/{case}/solution", { ...put, body: { solution: "x" } });
is(late.response.status === 412 && late.error !== undefined && late.error.type.endsWith("changed-since"), late.error);

const open = { params: { path, query: { only: "unanswered" } } };
const asked = done("listQuestions", await lore.GET("/spaces/{space}/questions", open));
const question = { space, question: asked.questions[0]!.turn };
done("whyQuestion", await lore.GET("/spaces/{space}/questions/{question}/why", { params: { path: question } }));
const own = { params: { path, query: { channel } }, body: { admins: ["u1"] } };
done("configureChannel", await lore.PATCH("/spaces/{space}/channels", own));
const visitor = { channel, author: "v1", id: "q1", question: body.question };
const told = done("askQuestion", await lore.POST("/spaces/{space}/questions", { params: { path }, body: visitor }));
is(told.outcome === "answered" && told.citations[0]!.evidence.length > 0, told);
const answered = { params: { path: { space, question: told.turn } }, body: { author: "v1", rating: "helped" } };
const rated = done("rateAnswer", await lore.PUT("/spaces/{space}/questions/{question}/rating", answered));
is(rated.helped === 1 && rated.failed === 0, rated);
const lesson = { params: { path: question }, body: { solution: "Take a thermos." } };
const taught = done("answerQuestion", await lore.PUT("/spaces/{space}/questions/{question}/answer", lesson));
is(taught.solution === "Take a thermos.", taught);

const memory = { text: "the wiki moved to wiki.example.org", channel };
const kept = done("remember", await lore.POST("/spaces/{space}/memories", { params: { path }, body: memory }));
const listed = done("listMemories", await lore.GET("/spaces/{space}/memories", { params: { path } }));
is(listed.memories.some((it) => it.memory === kept.memory), listed);
const said = { type: "message", id: "m1", author: "u1", text: "good morning", at: "2024-05-20T08:00:00Z" };
const to = { path, query: { channel: "forum:help", history: true } };
const taken = done("sendMessages", await lore.POST("/spaces/{space}/messages", { params: to, body: [said] }));
is(taken.taken === 1 && taken.events.length === 1, taken);
const latest = { params: { path, query: { channel, limit: 2 } } };
const talk = done("listMessages", await lore.GET("/spaces/{space}/messages", latest));
is(talk.messages.length === 2 && talk.next !== null, talk);
const file = {
  params: { path, query: { name: "WhatsApp Chat with Ann.txt" } },
  headers: { "Content-Type": "application/octet-stream" },
  body: "01/05/2024, 12:00 - Ann: How do I mount an iso image?\n",
  bodySerializer: (text: string) => text,
  parseAs: "text",
} as const;
const imported = String(done("importChat", await lore.POST("/spaces/{space}/imports", file)));
is(imported.includes("event: taken"), imported);
const words = { params: { path: { space, memory: kept.memory } } };
const change = { ...words, body: { text: "the wiki is gone", always: true } };
const changed = done("changeMemory", await lore.PUT("/spaces/{space}/memories/{memory}", change));
is(changed.memory !== kept.memory && changed.always, changed);
const again = done("restoreMemory", await lore.POST("/spaces/{space}/memories/{memory}/restore", words));
is(again.text === kept.text && !again.always, again);
const gone = { space, memory: again.memory };
done("forget", await lore.DELETE("/spaces/{space}/memories/{memory}", { params: { path: gone } }));
const channels = done("listChannels", await lore.GET("/spaces/{space}/channels", { params: { path } }));
is(channels.channels.some((it) => it.channel === channel), channels);
const set = { params: { path, query: { channel: "forum:help" } }, body: { admins: ["u1"] } };
is(done("configureChannel", await lore.PATCH("/spaces/{space}/channels", set)).admins === 1, set);
const lost = { params: { path, query: { topic: "chat.turns" } } };
const letters = done("listDeadLetters", await lore.GET("/spaces/{space}/dead-letters", lost));
const [topic, partition, offset] = letters.letters[0]!.letter.split("/") as [string, string, string];
const letter = { params: { path: { space, topic, partition, offset } } };
const address = "/spaces/{space}/dead-letters/{topic}/{partition}/{offset}";
is(done("getDeadLetter", await lore.GET(address, letter)).role === "extractor", letters);
const tried = done("redriveDeadLetter", await lore.POST(address, letter));
is(tried.redriven!.startsWith("knowledge.requests/"), tried);
const rest = { params: { path }, body: { topic, reason: "", dry_run: false } };
const none = done("redriveDeadLetters", await lore.POST("/spaces/{space}/dead-letters/redrive", rest));
is(none.redriven === 0 && none.already === 1, none);
const week = { params: { path, query: { days: 7 } } };
is(done("report", await lore.GET("/spaces/{space}/report", week)).asked.now >= 1, week);
const subject = { params: { path, query: { about: "coffee on the moon" } } };
is(done("graph", await lore.GET("/spaces/{space}/graph", subject)).asked >= 1, subject);
const all = done("listCases", await lore.GET("/spaces/{space}/cases", { params: { path, query: { limit: 20 } } }));
const near = cases.cases[0]!;
// What was said just now ends the time of old open cases there: those are archived, and merged no more.
const stays = all.cases.filter((it) => it.status === "solved" && it.channel === near.channel);
const other = stays.find((it) => ![near.case, taught.case].includes(it.case))!;
const two = { params: { path: { space, case: other.case } } };
const merged = await lore.POST("/spaces/{space}/cases/{case}/merge", { ...two, body: { into: near.case } });
is(done("mergeCase", merged).status === "merged", merged.data);
const split = await lore.POST("/spaces/{space}/cases/{case}/split", two);
is(done("splitCase", split).status !== "merged", split.data);
const wanted = { name: "widget", may: ["read"], days: 7 };
const given = done("makeToken", await lore.POST("/spaces/{space}/tokens", { params: { path }, body: wanted }));
const tokens = done("listTokens", await lore.GET("/spaces/{space}/tokens", { params: { path } })).tokens;
is(tokens.some((it) => it.id === given.id && it.counts), tokens);
const itsToken = { params: { path: { space, token: given.id } } };
const fewer = done("revokeToken", await lore.DELETE("/spaces/{space}/tokens/{token}", itsToken)).tokens;
is(!fewer.some((it) => it.id === given.id && it.counts), fewer);
const rita = { params: { path: { space, account: "rita" } } };
const hers = done("giveRights", await lore.PUT("/spaces/{space}/accounts/{account}", { ...rita, body: { may: ["read"] } }));
is(hers.may.join() === "read" && !hers.has_password, hers);
const link = done("makeAccountLink", await lore.POST("/spaces/{space}/accounts/{account}/link", rita));
is(link.link.includes("/join?link="), link);
const people = done("listAccounts", await lore.GET("/spaces/{space}/accounts", { params: { path } })).accounts;
is(people.some((it) => it.name === "rita"), people);
const others = done("takeRights", await lore.DELETE("/spaces/{space}/accounts/{account}", rita)).accounts;
is(!others.some((it) => it.name === "rita"), others);
const who = { params: { path, query: { platform: "chat", id: "dan" } } };
const dan = done("findPerson", await lore.GET("/spaces/{space}/people", who));
const them = { params: { path: { space, person: dan.person } } };
is(done("getPerson", await lore.GET("/spaces/{space}/people/{person}", them)).name === "dan", dan);
const left = done("forgetPerson", await lore.DELETE("/spaces/{space}/people/{person}", them));
is(left.channels[0]!.messages === 0, left);
const outdated = "/spaces/{space}/cases/{case}/archive";
is(done("archiveCase", await lore.POST(outdated, { params: { path: one } })).status === "archived", one);
const erased = done("eraseCase", await lore.DELETE("/spaces/{space}/cases/{case}", { params: { path: one } }));
is(erased.status === "erased", erased);

// What is about the whole installation.
const head = { Authorization: `Bearer ${system}` };
const spaces = done("listSpaces", await lore.GET("/spaces", { headers: head })).spaces;
is(spaces.includes(space), spaces);
const health = done("getHealth", await lore.GET("/health", { headers: head }));
is(health.dead_letters["chat.turns.dlq"] === 1, health);
const settings = done("getSettings", await lore.GET("/settings", { headers: head }));
is(settings.sections.some((it) => it.name === "buffer" && it.settings.length > 0), settings);
const projection = "cases";
const anew = { params: { path: { projection } }, headers: head };
const compared = await lore.POST("/replays/{projection}", { ...anew, body: { compare_only: true }, parseAs: "text" });
is(String(done("replay", compared)).includes("event: compared"), compared);
const builds = done("listBuilds", await lore.GET("/builds", { headers: head })).builds;
const newest = builds.filter((it) => it.projection === projection).at(-1)!;
const build = { params: { path: { projection, number: String(newest.number) } }, headers: head };
const switched = done("switchBuild", await lore.POST("/builds/{projection}/{number}/live", build));
is(switched.builds.some((it) => it.live && it.number === newest.number && it.compared!.equal), switched);
const earlier = done("rollBack", await lore.POST("/builds/{projection}/rollback", anew));
is(earlier.builds.some((it) => it.live && it.number < newest.number), earlier);
done("dropBuild", await lore.DELETE("/builds/{projection}/{number}", build));
const nothing = await lore.POST("/replays/{projection}/resume", { ...anew, parseAs: "text" });
is(String(done("resumeReplay", nothing)).includes("event: not-done"), nothing);
const paused = await lore.POST("/replays/{projection}/pause", anew);
is(paused.response.status === 400, paused.response.status);
called.push("pauseReplay");

console.log(JSON.stringify({ called }));
