#!/usr/bin/env python3
"""Signs in to the pages at a provider of OpenID Connect, in a browser. Prints one JSON line."""

import argparse
import json
import re
import sys

from playwright.sync_api import sync_playwright

from pages import ARGUMENTS


def at_provider(browser, entrance, name, scripts):
    """A browser that has gone to the provider and said a name there."""
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(entrance)
    page.get_by_role("link", name=re.compile("Sign in at")).click()
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("whatever")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").wait_for()
    return context, page


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entrance", required=True, help="the page for signing in")
    parser.add_argument("--name", required=True, help="of an account without a password")
    parser.add_argument("--browser", default="/usr/bin/chromium")
    options = parser.parse_args()
    base = options.entrance.split("/sign-in")[0]
    back = f"{base}/sign-in/provider/callback"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=ARGUMENTS)

        def ends(name, scripts=True):
            context, page = at_provider(browser, options.entrance, name, scripts)
            page.get_by_role("button", name="Continue").click()
            page.wait_for_url(re.compile(re.escape(base)))
            return context, page

        # Once with scripts and once without: no page needs any.
        for scripts in (True, False):
            context, page = ends(options.name, scripts)
            page.wait_for_url(f"{base}/s/default")
            assert options.name in page.locator("header").inner_text(), page.url
            session = [one for one in context.cookies() if one["name"] == "threadlore-session"]
            assert [(one["sameSite"], one["httpOnly"]) for one in session] == [("Strict", True)], session
            assert not [one for one in context.cookies() if one["name"] == "threadlore-sign-in"]
            page.goto(f"{base}/account")
            assert "have no password here" in page.locator("main").inner_text()
            context.close()

        said = {}
        for name in ("nobody@example.org", "unverified@example.org"):
            context, page = ends(name)
            said[name] = page.get_by_role("alert").inner_text()
            page.goto(f"{base}/s/default")
            assert page.locator("h1").inner_text() == "Sign in", page.url
            context.close()
        context, page = at_provider(browser, options.entrance, options.name, True)
        page.get_by_role("link", name=re.compile("Cancel")).click()
        page.wait_for_url(re.compile(re.escape(back)))
        said["cancelled"] = page.get_by_role("alert").inner_text()
        # A way back that somebody else began.
        page.goto(f"{back}?code=stolen&state=other")
        said["astray"] = page.get_by_role("alert").inner_text()
        context.close()
        browser.close()
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
