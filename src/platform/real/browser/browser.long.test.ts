// The real browser, with every request answered by the test: nothing here needs a network.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, test } from 'vitest'
import type { PageAnswer, PageLimits, ShownPage } from '../../browser.ts'
import { RealBrowser } from './browser.ts'
import { installedBrowser, packedBrowser } from './executable.ts'

const limits: PageLimits = {
  timeMsMax: 20_000,
  idleMs: 300,
  scrollsMax: 5,
  linksMax: 100,
  textCharsMax: 10_000,
}
const timeout = 60_000

const path = process.env.POLYHISTOR_TEST_CHROMIUM ?? (await packedBrowser()) ?? installedBrowser() ?? ''
const browser = new RealBrowser({ path })
afterAll(() => browser.close())

type Files = Record<string, { readonly type: string; readonly body: string }>

const html = (body: string) => ({ type: 'text/html', body: `<!doctype html><meta charset=utf-8>${body}` })
const script = (body: string) => ({ type: 'text/javascript', body })

async function show(
  href: string,
  files: Files,
  given: Partial<PageLimits> = {},
  shower = browser,
): Promise<ShownPage & { asked: string[] }> {
  const asked: string[] = []
  const shown = await shower.show({
    href,
    limits: { ...limits, ...given },
    answer: async (request, send) => {
      asked.push(`${request.method} ${request.href}`)
      const file = files[request.href]
      if (file !== undefined) await send(answerOf(file))
    },
  })
  return { ...shown, asked }
}

function answerOf({ type, body }: Files[string] & {}): PageAnswer {
  const bytes = Buffer.from(body)
  return { status: 200, headers: [['Content-Type', type]], body: bytes, bodyBytes: bytes.length }
}

test('a page shows what its scripts fetch, over http and https, and its links are told', {
  timeout,
}, async () => {
  for (const origin of ['http://app.test', 'https://app.test:8443']) {
    const { ending, links, text, asked } = await show(`${origin}/`, {
      [`${origin}/`]: html('<div id=root></div><script src=/app.js></script>'),
      [`${origin}/app.js`]: script(
        `fetch('/data.json').then(r => r.json()).then(({ names }) => {
          root.innerHTML = names.map((name) => '<a rel="' + (name === 'b' ? 'nofollow' : '') + '" href="/' + name + '">' + name + '</a>').join(' ')
        })`,
      ),
      [`${origin}/data.json`]: { type: 'application/json', body: '{"names":["a","b"]}' },
    })
    assert.deepEqual([ending, text], ['settled', 'a b'])
    assert.deepEqual(links, [
      { href: `${origin}/a`, isNoFollow: false },
      { href: `${origin}/b`, isNoFollow: true },
    ])
    assert.deepEqual(asked.slice(0, 3), [`GET ${origin}/`, `GET ${origin}/app.js`, `GET ${origin}/data.json`])
  }
})

test('what a page loads when it is scrolled to is asked for', { timeout }, async () => {
  const { asked } = await show('https://app.test/', {
    'https://app.test/': html(
      '<p style="height: 3000px"></p><img loading=lazy src=/far.png width=9 height=9>',
    ),
  })
  assert(asked.includes('GET https://app.test/far.png'))
})

test('whatever a page does, nothing reaches a server past us: also not one of this machine', {
  timeout,
}, async () => {
  let connections = 0
  const server = createServer().on('connection', (socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const { asked, ending } = await show('https://app.test/', {
      'https://app.test/': html(`
        <link rel=preconnect href="http://${place}"><link rel=prefetch href="http://${place}/prefetch">
        <img src="http://${place}/image"><iframe src="http://localhost:${place.split(':')[1]}/frame"></iframe>
        <script>
          new Worker('/worker.js'); new SharedWorker('/shared.js')
          navigator.sendBeacon('http://${place}/beacon', 'x'); open('http://${place}/popup')
          try { new WebSocket('ws://${place}/socket') } catch {}
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${place}' }, { urls: 'turn:${place}?transport=tcp', username: 'a', credential: 'b' }] })
          peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))
        </script>`),
      'https://app.test/worker.js': script(`fetch('/of-worker'); new Worker('/nested.js')`),
      'https://app.test/nested.js': script(`fetch('/of-nested')`),
      'https://app.test/shared.js': script(`fetch('/of-shared')`),
    })
    assert.equal(ending, 'settled')
    assert.equal(connections, 0)
    for (const name of ['of-worker', 'of-nested', 'of-shared'])
      assert(asked.includes(`GET https://app.test/${name}`), name)
  } finally {
    server.close()
  }
})

test('a page that never comes to rest, or to its end, is cut off; the next is shown', {
  timeout,
}, async () => {
  const restless = await show(
    'http://app.test/',
    { 'http://app.test/': html('text<script>setInterval(() => fetch("/again"), 50)</script>') },
    { timeMsMax: 1_500 },
  )
  assert.deepEqual([restless.ending, restless.text], ['time', 'text'])
  const hung = await show(
    'http://app.test/',
    { 'http://app.test/': html('<script>for (;;);</script>') },
    { timeMsMax: 1_000 },
  )
  assert.deepEqual([hung.ending, hung.links], ['time', []])
  const next = await show('http://app.test/', { 'http://app.test/': html('<script>alert(1)</script>next') })
  assert.deepEqual([next.ending, next.text], ['settled', 'next'])
})

test('a page that takes too much memory ends alone', { timeout }, async () => {
  const files = {
    'http://app.test/': html('<script>const all = []; for (;;) all.push(new Array(1e5).fill(0.5))</script>'),
  }
  const small = new RealBrowser({ path, heapMegabytesMax: 64 })
  try {
    assert.equal((await show('http://app.test/', files, { timeMsMax: 50_000 }, small)).ending, 'crashed')
    const next = await show('http://app.test/', { 'http://app.test/': html('next') }, {}, small)
    assert.deepEqual([next.ending, next.text], ['settled', 'next'])
  } finally {
    await small.close()
  }
})

test.skipIf(process.platform !== 'linux')(
  'a browser that is killed is started again',
  { timeout },
  async () => {
    const asked = Promise.withResolvers<void>()
    const dying = browser.show({
      href: 'http://app.test/',
      limits,
      answer: async (_request, _send, signal) => {
        asked.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    })
    await asked.promise
    for (const pid of await browserProcesses()) process.kill(pid, 'SIGKILL')
    assert.equal((await dying).ending, 'crashed')
    const next = await show('http://app.test/', { 'http://app.test/': html('next') })
    assert.deepEqual([next.ending, next.text], ['settled', 'next'])
  },
)

/** Children of this process that are browsers. */
async function browserProcesses(): Promise<number[]> {
  const tasks = `/proc/${process.pid}/task`
  const lists = await Promise.all(
    (await readdir(tasks)).map((task) => readFile(`${tasks}/${task}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.join(' ').split(/\s+/).filter(Boolean).map(Number)
  const commands = await Promise.all(
    children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return children.filter((_, index) => commands[index]!.includes('--ignore-certificate-errors-spki-list'))
}

test('pages know nothing of each other', { timeout }, async () => {
  const files = {
    'https://app.test/': html(
      '<script>document.write((localStorage.x ?? "new") + document.cookie); localStorage.x = 1; document.cookie = "c=1"</script>',
    ),
  }
  for (const _ of [1, 2]) assert.equal((await show('https://app.test/', files)).text, 'new')
})
