// How the owner comes in, with real processes: the link that the peer prints, `polyhistor link`, and an end to both.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { killed, watched } from '../../src/platform/fixtures/child-processes.ts'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import { polyhistor, root, temporaryFolder } from '../command.ts'
import { page as pageOf, startOrigin } from '../crawl/origin.ts'
import { Reader, until } from '../pages/reader.ts'
import { startPeer } from './peer.ts'

/** The cookie that a link is good for. */
async function cookieOf(link: string): Promise<string | undefined> {
  const answer = await fetch(link, { method: 'POST', redirect: 'manual' })
  return answer.headers.get('set-cookie')?.split(';', 1)[0]
}

async function mayWrite(url: string, cookie: string): Promise<boolean> {
  const headers = { Cookie: cookie, Origin: url, 'Content-Type': 'application/x-www-form-urlencoded' }
  // Nothing that can be archived: whoever may write is told so.
  const answer = await fetch(`${url}/save`, { method: 'POST', headers, body: 'url=:', redirect: 'manual' })
  return answer.status === 400
}

test('npm start prints a link that lets a browser archive at once', async () => {
  const origin = await startOrigin({ '/': pageOf() })
  const words = ['start', '--silent', '--', 'peer', '--allow-address', '127.0.0.0/8', '--delay', '0', '-q']
  const environment = { POLYHISTOR_HOME: await temporaryFolder(), POLYHISTOR_HTTP_ADDRESS: 'localhost:0' }
  const child = watched(spawn('npm', words, { cwd: root, env: { ...process.env, ...environment } }))
  onTestFinished(() => killed(child))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text))
  await until(async () => /\/owner\/\S+\n/.test(said))
  const [link] = /http:\S+\/owner\/\S+/.exec(said)!
  const reader = await Reader.start()
  onTestFinished(() => reader.close())
  await reader.visit(async ({ page }) => {
    await page.goto(new URL('/', link).href)
    await page.getByText('open the link that polyhistor peer printed').waitFor()
    await page.goto(link)
    await page.waitForURL((url) => url.pathname === '/')
    await page.getByLabel('Address of a page').fill(origin.url('/'))
    await page.getByRole('button', { name: 'Archive it now' }).click()
    await page.locator('.state.done').waitFor()
    // In the line of what the crawl is of: a style of another screen once made a box of it.
    const display = await page.evaluate(`getComputedStyle(document.querySelector('.state.done')).display`)
    assert.equal(display, 'inline')
  })
})

test('links are given for the token, survive nothing but one use, and cookies a restart but no revocation', async () => {
  const home = await temporaryFolder()
  // Not one that the system gives away between the two.
  const address = `127.0.0.1:${await freePort()}`
  const first = await startPeer(home, '--http', address)
  const run = (...words: string[]) => polyhistor([...words, '--home', home])
  const printed = (await run('link')).output.trim()
  assert.match(printed, /^http:\/\/localhost:\d+\/owner\/[\w-]{32}$/)
  const cookie = (await cookieOf(printed))!
  assert.equal(await cookieOf(printed), undefined)
  assert.ok(await mayWrite(first.url, cookie))
  await first.stop()
  const second = await startPeer(home, '--http', address)
  assert.ok(await mayWrite(second.url, cookie))
  const unused = JSON.parse((await run('link', '--json')).output).url
  assert.equal((await run('link', '--revoke')).code, 0)
  assert.ok(!(await mayWrite(second.url, cookie)))
  assert.equal(await cookieOf(unused), undefined)
  await second.stop()
  assert.equal((await run('link')).code, 75)
})

test('--open shows the link to nobody else: it is in a file of the owner’s, not in the process list', async () => {
  const home = await temporaryFolder()
  await startPeer(home)
  const tools = await temporaryFolder()
  await mkdir(tools, { recursive: true })
  const opener = join(tools, process.platform === 'darwin' ? 'open' : 'xdg-open')
  await writeFile(opener, `#!/bin/sh\nprintf '%s\\n' "$@" > '${tools}/opened'\n`)
  await chmod(opener, 0o755)
  const environment = { PATH: `${tools}:${process.env.PATH}` }
  const { output } = await polyhistor(['link', '--open', '--home', home], { environment })
  const opened = async () => (await readFile(join(tools, 'opened'), 'utf8').catch(() => '')).trim()
  await until(async () => (await opened()) !== '')
  const file = new URL(await opened())
  assert.equal(file.href, new URL(`file://${home}/open.html`).href)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.ok((await readFile(file, 'utf8')).includes(output.trim()))
})
