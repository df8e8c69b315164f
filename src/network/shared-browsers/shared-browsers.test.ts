// A page of one peer in the browser of another: their calls go straight to each other, on virtual time.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { FieldList } from '../../formats/http/field-list.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { CallHandler } from '../../platform/calls/calls.ts'
import {
  BrowserError,
  type PageBrowser,
  type PageToShow,
  type ShownPage,
} from '../../platform/network/browser.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { SharedBrowsers } from './shared-browsers.ts'

const limits = {
  ...{ timeMsMax: 60_000, idleMs: 1_000, behaviourMsMax: 0, scrollsMax: 1 },
  ...{ linksMax: 100, textCharsMax: 1_000 },
}
const href = 'http://page.test/'

/** Asks for one thing, reads it to the end, and is done. */
function browserOf(wanted: string): PageBrowser {
  const show = async ({ answer }: PageToShow): Promise<ShownPage> => {
    let text = 'nothing came'
    const request = { method: 'GET', href: wanted, headers: new FieldList([]), body: undefined }
    const send: Parameters<PageToShow['answer']>[1] = async ({ body }) => {
      const chunks = body instanceof Uint8Array ? [body] : await Array.fromAsync(body)
      text = String(Buffer.concat(chunks).length)
    }
    await answer(request, send, new AbortController().signal)
    return { ending: 'settled', title: 'T', text, links: [], view: Buffer.from([1, 2, 3]) }
  }
  return { show, ready: async () => {}, close: async () => {} }
}

interface Peer {
  readonly shared: SharedBrowsers
  isGone: boolean
}

function peersWith(browsers: Readonly<Record<string, PageBrowser | undefined>>) {
  const world = simulatedWorld({ seed: 1 })
  const handlers = new Map<string, CallHandler>()
  const peers = new Map<string, Peer>()
  for (const [name, browser] of Object.entries(browsers)) {
    const { clock, random } = world.machine(name)
    const calls: CallService = {
      bytesMax: 4_000_000,
      call: async (to, pieces, { signal }) => {
        const bytes = Buffer.concat([pieces].flat() as Uint8Array[])
        const gone = () => new PolyhistorError('peer-unreachable', `${to} is gone`)
        if (peers.get(to)?.isGone) throw gone()
        const context = { signal: signal ?? new AbortController().signal }
        const answer = await handlers.get(to)!(name, bytes, context as never)
        if (peers.get(to)?.isGone) throw gone()
        assert(answer.length <= calls.bytesMax)
        return answer
      },
      answer: (handler) => void handlers.set(name, handler),
    }
    const others = () => Object.keys(browsers).filter((other) => other !== name)
    const shared = new SharedBrowsers({ calls, clock, random, peers: others, browser: () => browser })
    peers.set(name, { shared, isGone: false })
  }
  return { world, peer: (name: string) => peers.get(name)! }
}

const answerWith =
  (body: Uint8Array): PageToShow['answer'] =>
  async (_request, send) =>
    send({ status: 200, headers: [], body, bodyBytes: body.length })

test('a page is shown by a peer that has a browser; what it asks for comes from its own peer, however large', async () => {
  const { world, peer } = peersWith({ a: undefined, b: undefined, c: browserOf('http://page.test/film') })
  const body = new Uint8Array(5_000_000)
  const page = { href, limits, answer: answerWith(body) }
  const shown = await world.complete(peer('a').shared.borrowed.show(page))
  assert.deepEqual([shown.text, shown.title, shown.shownBy], ['5000000', 'T', 'c'])
  assert.equal(shown.view, undefined, 'what is no picture is not taken for one')
})

test('where nobody has a browser that is said, and nothing is waited for', async () => {
  const { world, peer } = peersWith({ a: undefined, b: undefined })
  const { borrowed } = peer('a').shared
  await assert.rejects(world.complete(borrowed.ready()), BrowserError)
  assert.equal(borrowed.mayBeThere, false)
})

test('a peer that is gone in the middle of a page makes it a crash, and the next page goes to another', async () => {
  const { world, peer } = peersWith({ a: undefined, b: browserOf(href), c: browserOf(href) })
  const { borrowed } = peer('a').shared
  let asked = 0
  const dying: PageToShow['answer'] = async () => {
    asked++
    // Whoever shows it: it dies while its page waits for an answer.
    for (const name of ['b', 'c']) peer(name).isGone = true
  }
  const first = await world.complete(borrowed.show({ href, limits, answer: dying }))
  assert.deepEqual([first.ending, asked], ['crashed', 1])
  for (const name of ['b', 'c']) peer(name).isGone = false
  const next = { href, limits, answer: answerWith(new Uint8Array(7)) }
  assert.equal((await world.complete(borrowed.show(next))).text, '7')
})

test('only the peer that shows a page may ask for its parts, and only while it is shown', async () => {
  const { world, peer } = peersWith({ a: undefined, b: browserOf(href) })
  const { borrowed } = peer('a').shared
  const asking: PageToShow['answer'] = async (_request, send) => {
    const question = {
      ...({ kind: 'part', id: new Uint8Array(16), number: 1, method: 'GET', href } as const),
      ...{ headers: [], body: undefined, isTooLarge: false },
    }
    assert.deepEqual(await borrowed.answer('b', question), { kind: 'nothing' })
    await send({ status: 200, headers: [], body: new Uint8Array(1), bodyBytes: 1 })
  }
  assert.equal((await world.complete(borrowed.show({ href, limits, answer: asking }))).text, '1')
})

test('a peer shows one page for each other at a time; who waits gets its turn', async () => {
  const gate = Promise.withResolvers<void>()
  const slow = browserOf(href)
  const show: PageBrowser['show'] = async (page, signal) => {
    await gate.promise
    return slow.show(page, signal)
  }
  const { world, peer } = peersWith({ a: undefined, b: { ...slow, show } })
  const { borrowed } = peer('a').shared
  const page = { href, limits, answer: answerWith(new Uint8Array(3)) }
  const both = Promise.all([borrowed.show(page), borrowed.show(page)])
  await world.advance(3_000)
  gate.resolve()
  assert.deepEqual(
    (await world.complete(both)).map(({ text }) => text),
    ['3', '3'],
  )
})
