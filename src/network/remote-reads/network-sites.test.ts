import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { NetworkSites, type NetworkSitesOptions } from './network-sites.ts'
import { type SiteNameList, siteNames } from './wire/site-names.ts'

type Answer = readonly string[] | 'silent' | Uint8Array

function opened(answers: Record<PeerId, Answer>, options: Partial<NetworkSitesOptions> = {}) {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  let own: SiteNameList = { names: ['here.example'], isMore: false }
  let calls = 0
  let answer: unknown
  const sites = new NetworkSites(
    {
      clock,
      calls: {
        call: async (peer, _, { deadlineMs }) => {
          calls++
          const said = answers[peer]!
          if (said === 'silent') {
            await clock.sleep(deadlineMs)
            throw new PolyhistorError('call-timeout', 'It did not answer in time')
          }
          return said instanceof Uint8Array ? said : siteNames.encode({ names: said, isMore: false })
        },
        answer: (handler) => {
          answer = handler
        },
      },
      own: { all: async () => own },
      peers: () => Object.keys(answers),
      isHidden: (site) => site === 'hidden.example',
    },
    options,
  )
  return {
    /** So many ask at once. */
    all: async (asking = 1) =>
      (await world.complete(Promise.all(Array.from({ length: asking }, () => sites.all()))))[0]!,
    wait: (ms: number) => world.complete(clock.sleep(ms)),
    keep: (...names: string[]) => {
      own = { names, isMore: false }
    },
    told: async () => siteNames.decode(await (answer as () => Promise<Uint8Array>)()),
    calls: () => calls,
  }
}

test('the sites of all peers are listed by name, and those of this one told to others', async () => {
  const { all, told } = opened({ b: ['b.example', 'c.example'], c: ['a.example', 'c.example'] })
  assert.deepEqual(await all(), {
    names: ['a.example', 'b.example', 'c.example', 'here.example'],
    isMore: false,
    peers: { asked: 2, answered: 2 },
  })
  assert.deepEqual(await told(), { names: ['here.example'], isMore: false })
})

test('who does not answer in time is counted and not waited for', async () => {
  const { all } = opened({ b: ['b.example'], c: 'silent', d: Buffer.from('nonsense') })
  const { names, peers } = await all()
  assert.deepEqual([names, peers], [['b.example', 'here.example'], { asked: 3, answered: 1 }])
})

test('what is no site is not listed, nor is what was taken down', async () => {
  const { all } = opened({
    b: ['b.example', 'https://b.example/path', 'd.example'],
    c: ['<script>.example'],
    d: ['hidden.example'],
    e: ['www.b.example'],
  })
  const { names, peers } = await all()
  assert.deepEqual([names, peers], [['b.example', 'here.example'], { asked: 4, answered: 1 }])
})

test('others are asked seldom, and what comes to this peer is listed at once', async () => {
  const answers: Record<PeerId, Answer> = { b: ['b.example'] }
  const { all, wait, keep, calls } = opened(answers, { ageMs: 1_000, ageMsPerName: 500, staleMsMax: 10_000 })
  await all(2)
  answers.b = ['later.example']
  keep('here.example', 'new.example')
  await wait(1_400)
  assert.deepEqual((await all()).names, ['b.example', 'here.example', 'new.example'])
  assert.equal(calls(), 1)
  await wait(200)
  assert.equal((await all()).names[0], 'b.example', 'the list of before is given while others are asked')
  assert.equal((await all()).names.at(-2), 'later.example')
  answers.b = ['last.example']
  await wait(12_000)
  assert.equal((await all()).names.at(-2), 'last.example', 'a list that is very old is not given')
})

test('of too many names each peer has its share', async () => {
  const many = Array.from({ length: 100 }, (_, number) => `a${number}.example`)
  const { all } = opened({ b: many, c: ['z.example'] }, { namesMax: 10 })
  const { names, isMore } = await all()
  assert.deepEqual([names.length, isMore], [10, true])
  assert(names.includes('here.example') && names.includes('z.example'))
})

test('a list that is longer than a message says that there are more', () => {
  const names = Array.from({ length: 30_000 }, (_, number) => `${number}${'.long'.repeat(20)}.example`)
  const { names: listed, isMore } = siteNames.decode(siteNames.encode({ names, isMore: false }))
  assert(isMore && listed.length > 5_000 && listed.length < 20_000)
  const bytes = new MessageWriter().byte(0).number(20_001).finish()
  assert.throws(() => siteNames.decode(bytes), { code: 'message-malformed' })
})
