"""A client that is generated from docs/openapi.json makes a tour of the HTTP API, with the types that it has.
Prints a JSON line: which operations were called, and those of the document that were not.

    client.py OPENAPI BASE TOKEN SPACE CHANNEL SYSTEM
"""

import json
import subprocess
import sys
import tempfile
from importlib import import_module
from io import BytesIO

openapi, base, token, space, channel, system = sys.argv[1:]
operations = {
    operation["operationId"]: (operation["tags"][0], "".join("_" * c.isupper() + c.lower() for c in operation["operationId"]))
    for path in json.load(open(openapi))["paths"].values()
    for operation in path.values()
}
called = []

with tempfile.TemporaryDirectory() as made:
    generator = ["openapi_python_client", "generate", "--meta", "none", "--path", openapi]
    told = subprocess.run(
        [sys.executable, "-m", *generator, "--output-path", f"{made}/lore"], capture_output=True, text=True
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "unsupported" not in told.stdout.lower(), told.stdout
    sys.path.insert(0, made)
    lore = import_module("lore")
    models = import_module("lore.models")
    client = lore.AuthenticatedClient(
        base_url=base, token=token, httpx_args={"trust_env": False}, raise_on_unexpected_status=True
    )

    def call(operation, *where, status=200, **arguments):
        tag, module = operations[operation]
        module = import_module(f"lore.api.{tag}.{module}")
        answer = module.sync_detailed(space, *where, client=client, **arguments)
        assert answer.status_code == status, (operation, answer)
        assert isinstance(answer.parsed, models.ProblemDetails) == (status >= 400), answer.parsed
        called.append(operation)
        return answer.parsed, answer.headers

    question = models.NewQuestion(question="How do I mount an iso image?")
    reply, _ = call("ask", body=question)
    assert reply.outcome == "answered" and "loop" in reply.answer, reply
    events, _ = call("askEvents", body=question)
    found, _, told = events.partition("event: reply")
    assert "event: found" in found and "loop" in told, events
    cases, _ = call("listCases", q="mount an iso image", limit=5)
    case = cases.cases[0].case
    detail, headers = call("getCase", case)
    assert detail.case == case
    why, _ = call("whyCase", case)
    solution = models.Solution(solution="sudo mount -o loop image.iso /mnt")
    corrected, _ = call("correctCase", case, body=solution, if_match=headers["etag"])
    assert corrected.solution == solution.solution
    changed, _ = call("correctCase", case, body=models.Solution(solution="x"), if_match=headers["etag"], status=412)
    assert changed.type_.endswith("changed-since"), changed
    asked, _ = call("listQuestions", only="unanswered")
    turn = asked.questions[0].turn
    call("whyQuestion", turn)
    call("configureChannel", body=models.ChannelChange(admins=["u1"]), channel=channel)
    visitor = models.NewChannelQuestion(channel=channel, author="v1", id="q1", question=question.question)
    told, _ = call("askQuestion", body=visitor)
    assert told.outcome == "answered" and "loop" in told.answer and told.citations[0].evidence, told
    rated, _ = call("rateAnswer", told.turn, body=models.NewRating(author="v1", rating="helped"))
    assert (rated.helped, rated.failed) == (1, 0), rated
    taught, _ = call("answerQuestion", turn, body=models.Solution(solution="Take a thermos."))
    assert taught.solution == "Take a thermos.", taught
    memory = models.NewMemory(text="the wiki moved to wiki.example.org", channel=channel)
    kept, _ = call("remember", body=memory, status=201)
    memories, _ = call("listMemories", limit=5)
    assert kept.memory in [one.memory for one in memories.memories]
    other, _ = call("changeMemory", kept.memory, body=models.MemoryWords(text="the wiki is gone", always=True))
    assert other.memory != kept.memory and other.always, other
    again, _ = call("restoreMemory", kept.memory)
    assert again.text == kept.text and not again.always, again
    gone, _ = call("forget", again.memory)
    channels, _ = call("listChannels")
    assert channel in [one.channel for one in channels.channels]
    said = models.ChatEvent(type_="message", id="m1", author="u1", text="good morning", at="2024-05-20T08:00:00Z")
    taken, _ = call("sendMessages", body=[said], channel="forum:help", history=True, status=202)
    assert taken.taken == 1 and len(taken.events) == 1, taken
    latest, _ = call("listMessages", channel=channel, limit=2)
    assert len(latest.messages) == 2 and latest.next_, latest
    chat = lore.types.File(payload=BytesIO(b"01/05/2024, 12:00 - Ann: How do I mount an iso image?\n"))
    events, _ = call("importChat", body=chat, name="WhatsApp Chat with Ann.txt")
    assert "event: taken" in events and '"messages":1' in events, events
    letters, _ = call("listDeadLetters", topic="chat.turns", limit=5)
    letter = letters.letters[0].letter.split("/")
    shown, _ = call("getDeadLetter", *letter)
    assert shown.role == "extractor" and shown.redriven is None, shown
    would, _ = call("redriveDeadLetters", body=models.RedriveRequest(topic="chat.turns", dry_run=True))
    assert would.redriven == 1 and would.dry_run, would
    tried, _ = call("redriveDeadLetter", *letter)
    assert tried.redriven.startswith("knowledge.requests/"), tried
    change = models.ChannelChange(admins=["u1"], mode="mentions")
    there, _ = call("configureChannel", body=change, channel="forum:help")
    assert there.admins == 1 and there.mode == "mentions", there
    report, _ = call("report", days=7)
    assert report.asked.now >= 1, report
    graph, _ = call("graph", about="coffee on the moon")
    assert graph.asked >= 1 and graph.subject.about, graph
    all_cases, _ = call("listCases", limit=20)
    # What was said just now ends the time of old open cases there: those are archived, and merged no more.
    stays = [it for it in all_cases.cases if it.status == "solved" and it.channel == cases.cases[0].channel]
    other = next(it.case for it in stays if it.case not in (case, taught.case))
    merged, _ = call("mergeCase", other, body=models.Merge(into=case))
    assert merged.status == "merged", merged
    split, _ = call("splitCase", other)
    assert split.status != "merged", split
    given, _ = call("makeToken", body=models.NewToken(name="widget", may=["read"]), status=201)
    tokens, _ = call("listTokens")
    assert any(it.id == given.id and it.counts for it in tokens.tokens), tokens
    tokens, _ = call("revokeToken", given.id)
    assert not any(it.id == given.id and it.counts for it in tokens.tokens), tokens
    rita, _ = call("giveRights", "rita", body=models.AccountRights(may=["read"]))
    assert rita.may == ["read"] and not rita.has_password, rita
    link, _ = call("makeAccountLink", "rita")
    assert "/join?link=" in link.link, link
    people, _ = call("listAccounts")
    assert "rita" in [it.name for it in people.accounts], people
    people, _ = call("takeRights", "rita")
    assert "rita" not in [it.name for it in people.accounts], people
    dan, _ = call("findPerson", platform="chat", id="dan")
    assert dan.name == "dan" and dan.channels[0].messages == 1, dan
    same, _ = call("getPerson", dan.person)
    assert same == dan, same
    left, _ = call("forgetPerson", dan.person)
    assert left.name is None and left.channels[0].messages == 0, left
    archived, _ = call("archiveCase", case)
    assert archived.status == "archived", archived
    erased, _ = call("eraseCase", case)
    assert erased.status == "erased", erased

    # What is about the whole installation.
    def whole(operation, *where, **arguments):
        tag, module = operations[operation]
        module = import_module(f"lore.api.{tag}.{module}")
        answer = module.sync_detailed(*where, client=as_operator, **arguments)
        assert answer.status_code == 200, (operation, answer)
        called.append(operation)
        return answer.parsed

    as_operator = lore.AuthenticatedClient(
        base_url=base, token=system, httpx_args={"trust_env": False}, raise_on_unexpected_status=True
    )
    assert space in whole("listSpaces").spaces
    assert whole("getHealth").dead_letters["chat.turns.dlq"] == 1
    assert any(it.name == "buffer" and it.settings for it in whole("getSettings").sections)
    events = whole("replay", "cases", body=models.NewReplay(compare_only=True))
    assert "event: compared" in events and '"equal":true' in events, events
    number = [it.number for it in whole("listBuilds").builds if it.projection == "cases"][-1]
    switched = whole("switchBuild", "cases", number)
    assert any(it.live and it.number == number and it.compared.equal for it in switched.builds), switched
    assert any(it.live and it.number < number for it in whole("rollBack", "cases").builds)
    assert len(whole("dropBuild", "cases", number).builds) == 8
    assert "event: not-done" in whole("resumeReplay", "cases")
    module = import_module("lore.api.installation.pause_replay")
    none = module.sync_detailed("cases", client=as_operator)
    assert none.status_code == 400, none
    called.append("pauseReplay")

missing = sorted(set(operations) - set(called))
print(json.dumps({"called": called, "missing": missing}))
