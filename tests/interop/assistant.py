"""Each tool of `/mcp`, called by the client of the protocol's own SDK with a token. Prints a JSON line: the
protocol's version, which tools were called, and which of them failed.

    assistant.py URL TOKEN CHANNEL
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

url, token, channel = sys.argv[1:]
called, failed = [], []


async def main():
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}

            async def call(name, **arguments):
                result = await client.call_tool(name, arguments)
                called.append(name)
                if result.is_error:
                    failed.append([name, result.content[0].text])
                    return {}
                return result.structured_content

            await call("ask", question="How do I mount an iso image?")
            case = (await call("search_cases", words="mount an iso image"))["cases"][0]["case"]
            await call("show_case", case=case)
            turn = (await call("unanswered_questions"))["questions"][0]["turn"]
            await call("why", question=turn)
            await call("insights", about="iso image")
            await call("report", days=1)
            await call("rate_answer", question=turn, rating="failed")
            await call("teach", question=turn, answer="Take a thermos.")
            await call("correct_case", case=case, solution="sudo mount -o loop image.iso /mnt")
            kept = await call("remember", text="the wiki moved to wiki.example.org", channel=channel)
            await call("list_memories", limit=5)
            await call("forget", memory=kept["memory"])
            failed.extend([name, "was not called"] for name in listed - set(called))
            print(json.dumps({"version": client.protocol_version, "called": called, "failed": failed}))


asyncio.run(main())
