#!/usr/bin/env python3
"""Looks at the pages of a space in a browser, and does on each what it is for.

The acts are done with scripts switched off. Every page is then looked at in three widths and both
colour schemes: nothing may be wider than the window, axe may find nothing, and a page with its style
may weigh 60 kB at most. Pictures go to --pictures. Prints one JSON line.
"""

import argparse
import json
import pathlib
import sys
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

WIDTHS = (360, 768, 1280)
SCHEMES = ("light", "dark")
# Those that are not English, with the direction of each.
LANGUAGES = {"de": "ltr", "ru": "ltr", "uk": "ltr", "he": "rtl"}
HEAVIEST = 60_000
PATIENCE = 20
CHAT = b"01/05/2024, 12:00 - Ann: Who is the cook?\n01/05/2024, 12:01 - Bob: I am.\n"
# Chromium as root in a container, and without calls to its maker.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def act(page, base, question, answer):
    """What a moderator comes for: a question without an answer, and then its answer."""
    page.goto(base)
    page.get_by_role("link", name=question).click()
    at = page.url
    page.locator("#solution").fill(answer)
    page.locator("button", has_text="Remember this answer").click()
    assert answer in page.locator("main").inner_text(), page.url
    case = page.url
    page.get_by_role("link", name="Ask").click()
    page.locator("#q").fill(question)
    page.locator("main button").click()
    until = time.monotonic() + PATIENCE
    # It is told once the index has it.
    while answer not in page.locator("main").inner_text():
        assert time.monotonic() < until, page.url
        page.reload()
    page.get_by_role("link", name="Cases").click()
    page.locator("input[name=q]").fill(question)
    page.locator("button", has_text="Search").click()
    page.locator("ul.rows a").first.click()
    assert answer in page.locator("main").inner_text(), page.url
    page.get_by_role("link", name="Memory").click()
    fact = f"we were told: {answer}"
    page.locator("#text").fill(fact)
    page.locator("button", has_text="Remember it").click()
    assert fact in page.locator("main").inner_text(), page.url
    page.locator("article", has_text=fact).locator("button.quiet").click()
    assert fact not in page.locator("main").inner_text(), page.url
    page.get_by_role("link", name="Questions").click()
    page.locator("select[name=only]").select_option("unanswered")
    page.locator("button", has_text="Show").click()
    assert question in page.locator("main").inner_text(), page.url
    return at, case


def look(page, axe, address, pictures, name):
    """One page, as it is: what is wrong with it, and its weight."""
    weight = []
    page.on("response", lambda response: weight.append(len(response.body())))
    page.goto(address)
    wrong = []
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if over > 0:
        wrong.append(f"it is {over} pixels wider than the window")
    found = axe.run(page).response
    assert found["passes"], "axe looked at nothing"
    for one in found["violations"]:
        wrong.append(f"{one['id']}: {one['nodes'][0]['html'][:200]}")
    if sum(weight) > HEAVIEST:
        wrong.append(f"it weighs {sum(weight)} bytes")
    page.screenshot(path=pictures / f"{name}.png", full_page=True)
    return wrong, sum(weight)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--link", required=True, help="that `threadlore sign-in` prints")
    parser.add_argument("--question", required=True, help="one that nobody could answer")
    parser.add_argument("--name", required=True, help="of an account")
    parser.add_argument("--password", required=True)
    parser.add_argument("--pictures", required=True, type=pathlib.Path)
    parser.add_argument("--browser", default="/usr/bin/chromium")
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    base = options.link.split("/sign-in")[0] + "/s/default"
    entrance = options.link.split("?")[0]
    wrong, heaviest, seen = [], 0, 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=ARGUMENTS)
        context = browser.new_context()
        context.new_page().goto(options.link)
        session = context.storage_state()
        context.close()
        for width in WIDTHS:
            context = browser.new_context(
                storage_state=session,
                java_script_enabled=False,
                viewport={"width": width, "height": 900},
            )
            answer = f"Ask the cook of floor {width}."
            question, case = act(context.new_page(), base, options.question, answer)
            context.close()
        # Who imports a chat.
        context = browser.new_context(storage_state=session, java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}/channels")
        page.get_by_role("link", name="Import a chat").click()
        chat = {"name": "WhatsApp Chat with Cooks.txt", "mimeType": "text/plain", "buffer": CHAT}
        page.locator("#file").set_input_files(chat)
        page.get_by_role("button", name="Import").click()
        # The page looks again by itself.
        page.get_by_role("link", name="whatsapp:Cooks").wait_for()
        context.close()
        # Who looks after the installation, and mended what a model failed at.
        context = browser.new_context(storage_state=session, java_script_enabled=False)
        page = context.new_page()
        page.goto(base)
        page.get_by_role("link", name="Health").click()
        page.get_by_role("link", name="chat.turns.dlq").click()
        page.locator("ul.rows a").first.click()
        letter = page.url
        page.get_by_role("button", name="Try it again").click()
        assert "knowledge.requests/" in page.locator("main").inner_text(), page.url
        context.close()
        # Somebody wants to be forgotten, and a moderator knows their id.
        context = browser.new_context(storage_state=session, java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}/memories")
        page.get_by_role("link", name="Find a person").click()
        page.locator("#id").fill("fay")
        page.get_by_role("button", name="Find").click()
        page.get_by_role("checkbox").check()
        page.get_by_role("button", name="Forget this person").click()
        assert "Nothing of them is left" in page.locator("main").inner_text(), page.url
        page.goto(f"{base}/people?platform=chat&id=bob")
        person = page.url
        context.close()
        # A program is given a token, and it is taken from it again.
        context = browser.new_context(storage_state=session, java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}/channels")
        page.get_by_role("link", name="Tokens of programs").click()
        page.get_by_label("What it is called").fill("widget")
        page.get_by_role("checkbox", name="ask").check()
        page.get_by_role("button", name="Make it").click()
        assert page.locator("pre").inner_text().startswith("tl_"), page.url
        page.get_by_role("button", name="Revoke it: widget").click()
        assert "revoked" in page.locator("li", has_text="widget").inner_text(), page.url
        context.close()
        # A moderator is let in, who chooses a password by the link.
        context = browser.new_context(storage_state=session, java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}/channels")
        page.get_by_role("link", name="Accounts of people").click()
        page.get_by_label("The name of the account").fill("rita")
        page.get_by_role("checkbox", name="read").check()
        page.get_by_role("button", name="Give somebody rights").click()
        join = page.locator("pre").inner_text()
        page.goto(base.replace("/s/default", "/s/system/accounts"))
        page.get_by_label("The name of the account").fill("root")
        page.get_by_role("checkbox", name="change what is here").check()
        page.get_by_role("button", name="Give somebody rights").click()
        another = page.locator("pre").inner_text()
        context.close()
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(another)
        page.get_by_label("Your password from now on").fill(options.password)
        page.get_by_role("button", name="Choose it and go in").click()
        page.goto(base.replace("/s/default", "/health"))
        page.get_by_role("heading", name="Health").wait_for()
        context.close()
        # And builds the tables of memories anew, and goes back.
        context = browser.new_context(storage_state=session, java_script_enabled=False)
        page = context.new_page()
        page.goto(base.replace("/s/default", "/health"))
        page.get_by_role("link", name="Tables and replays").click()
        page.locator("select[name=projection]").select_option("memories")
        page.get_by_role("button", name="Build anew").click()
        # The page looks again by itself.
        page.get_by_text("Equal to g1").wait_for()
        page.get_by_role("button", name="Make it live: memories g1").click()
        page.get_by_role("button", name="Make it live: memories g2").wait_for()
        context.close()
        # Who has a name and a password.
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(entrance)
        page.get_by_label("Name").fill(options.name)
        page.get_by_label("Password").fill(options.password)
        page.locator("main button").click()
        assert options.name in page.locator("header").inner_text(), page.url
        context.close()
        # What anybody reads, who is not signed in.
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        knowledge = base.replace("/s/default", "/knowledge/default")
        page.goto(knowledge)
        page.locator("ul.rows a").first.click()
        assert "Solution" in page.locator("main").inner_text(), page.url
        public = page.url
        page.get_by_role("link", name="Ask a question").click()
        asking = page.url
        page.get_by_label("Question").fill("How do I mount an iso image?")
        page.get_by_role("button", name="Ask").click()
        assert "mount -o loop" in page.locator("main").inner_text(), page.url
        asked = page.url
        page.get_by_role("button", name="It helped").click()
        assert "You say that it helped" in page.locator("main").inner_text(), page.url
        # The looks below see what this reader sees, too.
        session["cookies"] += context.storage_state()["cookies"]
        context.close()
        pages = {
            "home": base,
            "report": f"{base}/report",
            "subjects": f"{base}/graph?about=moon",
            "knowledge": knowledge,
            "public": public,
            "public-ask": asking,
            "public-answer": asked,
            "questions": f"{base}/questions",
            "question": question,
            "cases": f"{base}/cases",
            "case": case,
            "memory": f"{base}/memories",
            "people": f"{base}/people?platform=chat&id=nobody",
            "person": person,
            "ask": f"{base}/ask?q=how+do+I+mount+an+iso+image",
            "channels": f"{base}/channels",
            "imports": f"{base}/imports",
            "tokens": f"{base}/tokens",
            "accounts": f"{base}/accounts?name=rita",
            "join": join,
            "channel": f"{base}/channel?name=chat%3Adesk",
            "messages": f"{base}/messages?channel=chat%3Adesk",
            "health": base.replace("/s/default", "/health"),
            "replays": base.replace("/s/default", "/replays"),
            "settings": base.replace("/s/default", "/settings"),
            "settings-table": base.replace("/s/default", "/settings?table=answer"),
            "dead-letters": base.replace("/s/default", "/dead-letters?topic=chat.turns.dlq"),
            "dead-letter": letter,
            "refused": f"{base}/cases/none",
        }
        axe = Axe()
        for scheme in SCHEMES:
            for width in WIDTHS:
                context = browser.new_context(
                    storage_state=session,
                    color_scheme=scheme,
                    viewport={"width": width, "height": 900},
                )
                for name, address in pages.items():
                    page = context.new_page()
                    found, weight = look(page, axe, address, options.pictures, f"{name}-{scheme}-{width}")
                    wrong += [f"{name}, {scheme}, {width}: {one}" for one in found]
                    heaviest, seen = max(heaviest, weight), seen + 1
                    page.close()
                context.close()
                # Without a session.
                context = browser.new_context(
                    color_scheme=scheme, viewport={"width": width, "height": 900}
                )
                name = f"sign-in-{scheme}-{width}"
                found, weight = look(context.new_page(), axe, entrance, options.pictures, name)
                wrong += [f"{name}: {one}" for one in found]
                heaviest, seen = max(heaviest, weight), seen + 1
                context.close()
        # In each other language on a phone: words are longer there, and Hebrew runs the other way.
        for language, direction in LANGUAGES.items():
            context = browser.new_context(
                storage_state=session, locale=language, viewport={"width": WIDTHS[0], "height": 900}
            )
            for name, address in pages.items():
                page = context.new_page()
                found, weight = look(page, axe, address, options.pictures, f"{name}-{language}")
                said = page.evaluate("[document.documentElement.lang, document.documentElement.dir]")
                if said != [language, direction]:
                    found.append(f"it is in {said}")
                wrong += [f"{name}, {language}: {one}" for one in found]
                heaviest, seen = max(heaviest, weight), seen + 1
                page.close()
            context.close()
        # Who chooses a language, without scripts, is on the same page in it.
        context = browser.new_context(storage_state=session, java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}/cases")
        page.get_by_role("button", name="Українська").click()
        assert page.url == f"{base}/cases", page.url
        assert page.locator("h1").inner_text() == "Випадки", page.url
        context.close()
        browser.close()
    print(json.dumps({"looks": seen, "heaviest": heaviest, "wrong": wrong}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
