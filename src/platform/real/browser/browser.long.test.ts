// The real browser, with every request answered by the test: nothing here needs a network.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, request as nodeRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, test } from 'vitest'
import { partKind } from '../../../crawl/browser/part-request.ts'
import { until } from '../../fixtures/until.ts'
import type { PageAnswer, PageLimits, ShownPage } from '../../network/browser.ts'
import { RealBrowser } from './browser.ts'
import { makeProxyCertificate } from './certificate.ts'
import { installedBrowser, packedBrowser } from './executable.ts'
import { browsersOn, removeLeftovers } from './leftovers.ts'
import { PageProxy } from './proxy.ts'

const limits: PageLimits = {
  timeMsMax: 120_000,
  idleMs: 300,
  behaviourMsMax: 10_000,
  scrollsMax: 5,
  linksMax: 100,
  textCharsMax: 10_000,
}
const timeout = 600_000

const path = process.env.POLYHISTOR_TEST_CHROMIUM ?? (await packedBrowser()) ?? installedBrowser() ?? ''
const folder = await mkdtemp(join(tmpdir(), 'polyhistor-browser-'))
const browser = new RealBrowser({ path, folder, fetchFolder: join(folder, 'fetched') })
afterAll(async () => {
  await browser.close()
  await rm(folder, { recursive: true, force: true })
})

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
      { href: `${origin}/a`, text: 'a', isNoFollow: false },
      { href: `${origin}/b`, text: 'b', isNoFollow: true },
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

test('a page that loads more when it is scrolled to its end, or when a button is pressed, loads it; unless it is left alone', {
  timeout,
}, async () => {
  const files = {
    'https://app.test/':
      html(`<p style="height: 3000px"></p><div id=end></div><button>Load more birds</button>
      <video src=/film.mp4 preload=none></video>
      <script>
        let loaded = 0
        new IntersectionObserver(() => loaded++ < 3 && fetch('/scrolled-' + loaded)).observe(end)
        document.querySelector('button').onclick = ({ target }) => { fetch('/pressed'); target.remove() }
      </script>`),
  }
  const { asked, ending } = await show('https://app.test/', files)
  assert.equal(ending, 'settled')
  for (const name of ['scrolled-1', 'pressed', 'film.mp4'])
    assert(asked.includes(`GET https://app.test/${name}`), `${name} is not among ${asked}`)
  const alone = await show('https://app.test/', files, { behaviourMsMax: 0 })
  assert(!alone.asked.includes('GET https://app.test/pressed'))
})

test('a page is waited for while it has something to do that is no request', { timeout }, async () => {
  const later = (act: string) =>
    html(`<div id=box></div><script>const ask = () => fetch('/late'); ${act}</script>`)
  const pages = {
    'a timer': later('setTimeout(ask, 700)'),
    'timers one after the other': later(
      'let left = 6; const on = () => left-- ? setTimeout(on, 120) : ask(); on()',
    ),
    'a timer in a frame': html(
      `<iframe srcdoc="<script>setTimeout(() => fetch('/late'), 600)</script>"></iframe>`,
    ),
    'frames of an animation': later(
      'let left = 30; const on = () => left-- ? requestAnimationFrame(on) : ask(); on()',
    ),
    'a transition': later(
      `box.style.cssText = 'opacity: 0; transition: opacity 600ms'; box.ontransitionend = ask; box.offsetTop; box.style.opacity = 1`,
    ),
    'an interval': later('const every = setInterval(() => { clearInterval(every); ask() }, 500)'),
    'a worker': later(
      `new Worker(URL.createObjectURL(new Blob(['setTimeout(() => postMessage(1), 500)']))).onmessage = ask`,
    ),
    'a text that grows': later(
      'let left = 10; const channel = new MessageChannel(); const on = () => { box.textContent += 1; const end = Date.now() + 60; while (Date.now() < end); if (left--) channel.port2.postMessage(1); else ask() }; channel.port1.onmessage = on; on()',
    ),
  }
  for (const [name, page] of Object.entries(pages)) {
    const files = { 'https://app.test/': page, 'https://app.test/late': html('late') }
    const { asked } = await show('https://app.test/', files, { behaviourMsMax: 0, idleMs: 1_000 })
    assert(asked.includes('GET https://app.test/late'), `with ${name} it asked for ${asked}`)
  }
})

test('requests with which the window goes elsewhere can be told from frames, also over http', {
  timeout,
}, async () => {
  for (const origin of ['http://app.test', 'https://app.test']) {
    const kinds: string[] = []
    const { ending, text } = await browser.show({
      href: `${origin}/`,
      limits,
      answer: async ({ href, headers }, send) => {
        const name = href.slice(origin.length)
        kinds.push(`${name} ${partKind(headers)}`)
        if (name === '/')
          return send(
            answerOf(
              html(
                '<p>Here<iframe src=/frame></iframe><script>onload = () => { location = "/script" }</script>',
              ),
            ),
          )
        if (name === '/frame') return send(answerOf(html('<img src=/picture>')))
        return send({ status: 204, headers: [], body: new Uint8Array(0), bodyBytes: 0 })
      },
    })
    assert.deepEqual([ending, text.trim()], ['settled', 'Here'])
    assert.deepEqual(
      [...new Set(kinds)].sort(),
      ['/ page', '/frame frame', '/picture asset', '/script page'],
      origin,
    )
  }
})

test('scripts do not see that their timers are noted', { timeout }, async () => {
  const { text } = await show('https://app.test/', {
    'https://app.test/': html(`<p id=told></p><script>
      const lines = [Object.keys(self).filter((key) => /^_[0-9a-f]{16}$/.test(key)).length, setTimeout.length, setTimeout.name, typeof setTimeout(() => {}, 1)]
      setTimeout(function (...given) { told.textContent = [...lines, this === self, ...given].join() }, 10, 'a', 'b')
    </script>`),
  })
  assert.equal(text, '0,1,setTimeout,number,true,a,b')
})

test('whatever a page does, nothing reaches a server past us: also not one of this machine', {
  timeout,
}, async () => {
  // A busy machine takes long to start a worker, and meanwhile nothing is asked for.
  const slowWorkers = { idleMs: 3_000 }
  let connections = 0
  const server = createServer().on('connection', (socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const { asked, ending } = await show(
      'https://app.test/',
      {
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
      },
      slowWorkers,
    )
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
    // Time for a slow machine to show it at all.
    { timeMsMax: 8_000 },
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

test('a page whose frames want to take it elsewhere while it loads is shown all the same, and not until its time is over', {
  timeout,
}, async () => {
  const stay: PageAnswer = { status: 204, headers: [], body: new Uint8Array(0), bodyBytes: 0 }
  const leaving = "<script>addEventListener('load', () => { top.location.href = '/elsewhere' })</script>"
  const pages: Files = {
    'http://leaving.test/': html('<p>Here<iframe src=/1></iframe><iframe src=/2></iframe>'),
    'http://leaving.test/1': html(leaving),
    'http://leaving.test/2': html(leaving),
  }
  const { ending, text } = await browser.show({
    href: 'http://leaving.test/',
    limits,
    answer: ({ href }, send) => send(pages[href] === undefined ? stay : answerOf(pages[href])),
  })
  assert.equal(ending, 'settled')
  assert.match(text, /^Here/)
})

test('a page that takes too much memory ends alone', { timeout }, async () => {
  const files = {
    'http://app.test/': html('<script>const all = []; for (;;) all.push(new Array(1e5).fill(0.5))</script>'),
  }
  const small = new RealBrowser({
    path,
    folder: join(folder, 'small'),
    fetchFolder: folder,
    heapMegabytesMax: 64,
  })
  try {
    assert.equal((await show('http://app.test/', files, { timeMsMax: 240_000 }, small)).ending, 'crashed')
    const next = await show('http://app.test/', { 'http://app.test/': html('next') }, {}, small)
    assert.deepEqual([next.ending, next.text], ['settled', 'next'])
  } finally {
    await small.close()
  }
})

test.skipIf(process.platform !== 'linux')(
  'pictures and canvases count: a page that takes too much beside its scripts ends alone',
  { timeout },
  async () => {
    const files = {
      'http://app.test/': html(`<script>
        const all = []
        setInterval(() => { const bytes = new Uint8Array(32 << 20); bytes.fill(7); all.push(bytes); fetch('/again') }, 50)
      </script>`),
    }
    const place = join(folder, 'few')
    const few = new RealBrowser({ path, folder: place, fetchFolder: folder, pageMegabytesMax: 200 })
    try {
      assert.equal((await show('http://app.test/', files, { timeMsMax: 240_000 }, few)).ending, 'crashed')
      const next = await show('http://app.test/', { 'http://app.test/': html('next') }, {}, few)
      assert.deepEqual([next.ending, next.text], ['settled', 'next'])
    } finally {
      await few.close()
    }
  },
)

test.skipIf(process.platform !== 'linux')(
  'a browser that is killed is started again',
  { timeout },
  async () => {
    const { asked, ended } = heldPage()
    await asked
    for (const pid of await browsersOn(join(folder, 'profile-'))) process.kill(pid, 'SIGKILL')
    assert.equal((await ended).ending, 'crashed')
    const next = await show('http://app.test/', { 'http://app.test/': html('next') })
    assert.deepEqual([next.ending, next.text], ['settled', 'next'])
    assert.equal((await readdir(folder)).filter((name) => name.startsWith('profile-')).length, 1)
  },
)

test.skipIf(process.platform !== 'linux')(
  'a browser that hangs is ended, and the next page has another',
  { timeout },
  async () => {
    const files = { 'http://app.test/': html('shown') }
    await show('http://app.test/', files)
    for (const pid of await browsersOn(join(folder, 'profile-'))) process.kill(pid, 'SIGSTOP')
    assert.equal((await show('http://app.test/', files)).ending, 'crashed')
    assert.equal((await show('http://app.test/', files)).text, 'shown')
  },
)

test('a browser with nothing to show is closed, and started again for the next page', {
  timeout: 2 * timeout,
}, async () => {
  const place = join(folder, 'idle')
  const brief = new RealBrowser({ path, folder: place, fetchFolder: folder, idleMsMax: 50 })
  for (const text of ['first', 'second']) {
    const shown = await show('http://app.test/', { 'http://app.test/': html(text) }, {}, brief)
    assert.equal(shown.text, text)
    await until('the browser is closed', async () => {
      const running = await browsersOn(join(place, 'profile-'))
      return running.length === 0 && (await readdir(place)).length === 0
    })
  }
})

/** A page that is never answered. */
function heldPage() {
  const asked = Promise.withResolvers<void>()
  const ended = browser.show({
    href: 'http://app.test/',
    limits,
    answer: async (_request, _send, signal) => {
      asked.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  return { asked: asked.promise, ended }
}

test('a browser that cannot be started is said so at once, and not tried again for every page', {
  timeout,
}, async () => {
  const none = new RealBrowser({ path: process.execPath, folder: join(folder, 'none'), fetchFolder: folder })
  for (const _ of [1, 2])
    await assert.rejects(show('http://app.test/', {}, {}, none), { code: 'browser-not-started' })
  await none.ready()
  const missing = new RealBrowser({ path: join(folder, 'no-such'), folder, fetchFolder: folder })
  await assert.rejects(missing.ready(), { code: 'browser-missing' })
})

test.skipIf(process.platform !== 'linux')(
  'what a killed process left is ended and removed at the next start, also a browser that hangs',
  { timeout },
  async () => {
    const place = join(folder, 'left')
    const script = fileURLToPath(new URL('fixtures/held-page.ts', import.meta.url))
    const child = spawn(process.execPath, [script, path, place], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    const before = await browsersOn(join(place, 'profile-'))
    assert(before.length > 0)
    // One that hangs does not notice that nobody is there any more.
    for (const pid of before) process.kill(pid, 'SIGSTOP')
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.deepEqual(await browsersOn(join(place, 'profile-')), before)
    await removeLeftovers(place)
    await until(
      'the browsers have ended',
      async () => (await browsersOn(join(place, 'profile-'))).length === 0,
    )
    assert.deepEqual(await readdir(place), [])
  },
)

test('nobody else of this machine gets through the proxy of a page', { timeout }, async () => {
  const asked: string[] = []
  const proxy = new PageProxy(
    makeProxyCertificate(),
    async (request, send) => {
      asked.push(request.href)
      await send(answerOf(html('secret')))
    },
    () => {},
  )
  const port = await proxy.listen()
  try {
    const own = `Basic ${Buffer.from(`page:${proxy.credentials.password}`).toString('base64')}`
    const ask = async (method: string, path: string, authorization?: string): Promise<number> => {
      const headers = authorization === undefined ? {} : { 'Proxy-Authorization': authorization }
      const request = nodeRequest({ host: '127.0.0.1', port, method, path, headers }).end()
      const [response] = await Promise.race([once(request, 'response'), once(request, 'connect')])
      response.resume()
      response.socket.destroy()
      return response.statusCode
    }
    for (const wrong of [undefined, 'Basic cGFnZTo=', `${own}=`, own.slice(0, -1)]) {
      assert.equal(await ask('GET', 'http://app.test/', wrong), 407)
      assert.equal(await ask('CONNECT', 'app.test:443', wrong), 407)
    }
    assert.equal(await ask('GET', 'http://enter.test/', own), 204)
    assert.equal(await ask('GET', 'http://app.test/', own), 200)
    assert.deepEqual(asked, ['http://app.test/'])
  } finally {
    await proxy.close()
  }
})

test('pages know nothing of each other', { timeout }, async () => {
  const files = {
    'https://app.test/': html(
      '<script>document.write((localStorage.x ?? "new") + document.cookie); localStorage.x = 1; document.cookie = "c=1"</script>',
    ),
  }
  for (const _ of [1, 2]) assert.equal((await show('https://app.test/', files)).text, 'new')
})
