// The demo's page and buttons are its user's: other users of the machine reach the server, and are refused.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type DemoParts, startDemoServer } from './demo-server.ts'

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
}

/** A server with one peer that writes down what is done to it. */
async function started() {
  const done: string[] = []
  const peer = { name: 'Ada', state: 'running', url: undefined, kill: async () => void done.push('kill') }
  const parts = {
    network: { peers: [peer], running: [] },
    states: {
      now: { peers: [peer], arcs: [], sites: [], copiesWanted: 3, histogram: [], ranked: [] },
      listen: () => undefined,
    },
    changes: { kept: [], listen: () => undefined },
    assets: {
      pathOf: (entry: string) => `/assets/${entry}`,
      file: (path: string) =>
        path === '/assets/demo.ts' ? { bytes: Buffer.from('script'), type: 'text/javascript' } : undefined,
    },
  }
  const { http, path } = await startDemoServer(parts as unknown as DemoParts, 'localhost', 0)
  const origin = `http://localhost:${http.port}`
  const ask = async (target: string, { method = 'GET', headers = {} }: Asked = {}) => {
    const response = await fetch(origin + target, { method, headers })
    return { status: response.status, text: await response.text() }
  }
  return { http, path, origin, ask, done }
}

test('only who has the whole address sees the page and presses its buttons', async () => {
  const { http, path, origin, ask, done } = await started()
  try {
    const headers = { Origin: origin }
    for (const before of ['', '/', '/wrong', `${path.slice(0, -2)}`, `/${path}`]) {
      const isPage = await ask(`${before}/`)
      assert.equal(isPage.status, 403, before)
      assert.match(isPage.text, /^Open the demo by the whole address that .* printed\.\n$/)
      assert.equal((await ask(`${before}/events`)).status, 403)
      assert.equal((await ask(`${before}/search?q=soup`)).status, 403)
      assert.equal((await ask(`${before}/peers/0/kill`, { method: 'POST', headers })).status, 403)
    }
    assert.deepEqual(done, [])
    const page = await ask(path)
    assert.equal(page.status, 200)
    assert.match(page.text, /Ada/)
    assert.ok(!page.text.includes(path), 'the token is in no link of the page')
    assert.equal((await ask('/assets/demo.ts')).text, 'script')
    assert.equal((await ask(`${path}peers/0/kill`, { method: 'POST', headers })).status, 200)
    assert.deepEqual(done, ['kill'])
  } finally {
    await http.close(0)
  }
})

test('a page of another origin presses no button, though it knew the address', async () => {
  const { http, path, ask, done } = await started()
  try {
    for (const from of ['', 'http://localhost:1', 'null']) {
      const headers: Record<string, string> = from === '' ? {} : { Origin: from }
      assert.equal((await ask(`${path}peers/0/kill`, { method: 'POST', headers })).status, 403)
    }
    assert.deepEqual(done, [])
  } finally {
    await http.close(0)
  }
})
