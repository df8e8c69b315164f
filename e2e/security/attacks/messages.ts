// Questions that no honest peer asks: empty bounds, times before all time, bytes that mean nothing.

import { MessageWriter } from '../../../src/formats/wire/message-bytes.ts'
import { type ServiceName, serviceBytes } from '../../../src/platform/calls/call-services.ts'
import { Prng } from '../../../src/platform/simulated/prng.ts'
import type { Attack } from '../attack.ts'

const nonsenseEach = { short: 60, full: 2_000 }
const services = Object.keys(serviceBytes) as ServiceName[]

/** Kind 2, a bound of no bytes, no end or an end of no bytes, no ids. */
const emptyFetches = [
  new MessageWriter().byte(2).bytes(new Uint8Array()).byte(0).number(0).finish(),
  new MessageWriter().byte(2).bytes(new Uint8Array()).byte(1).bytes(new Uint8Array()).number(0).finish(),
  new MessageWriter()
    .byte(2)
    .bytes(new Uint8Array())
    .byte(1)
    .bytes(new Uint8Array())
    .number(1)
    .fixed(new Uint8Array(16))
    .finish(),
  new MessageWriter().byte(2).bytes(Uint8Array.of(1)).byte(1).bytes(Uint8Array.of(0)).number(0).finish(),
].map((bytes) => Uint8Array.from(bytes))

/** `list` of a URL, from the first time that can be written, and up to the last. */
function lists(url: string): Uint8Array[] {
  const times: [number, number][] = [
    [1, 1],
    [1, 0],
    [0, 1],
    [2 ** 53 - 1, 0],
    [0, 2 ** 53 - 1],
  ]
  return times.map(([from, to]) =>
    Uint8Array.from(
      new MessageWriter()
        .byte(0)
        .byte(0)
        .text(url)
        .number(10)
        .byte(0)
        .text('')
        .number(from)
        .number(to)
        .finish(),
    ),
  )
}

function nonsense(random: Prng, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => {
    const length = random.next() % (index % 10 === 0 ? 20_000 : 60)
    const bytes = Uint8Array.from({ length }, () => random.next() & 0xff)
    // Mostly a kind that there is, so that it gets past the first look.
    if (length > 0) bytes[0] = random.next() % 12
    return bytes
  })
}

export const messageAttacks: readonly Attack[] = [
  {
    name: 'notices: empty bounds',
    tries: 'Announcements are fetched from an empty bound up to an empty one',
    run: async ({ hostile, ids }) => {
      await hostile.do('ask', { service: 'notices', peers: ids, messages: emptyFetches })
      return []
    },
  },
  {
    name: 'reading: before year 0',
    tries: 'Captures are listed from a time before the year 0, and after the last',
    run: async ({ hostile, ids, origin }) => {
      await hostile.do('ask', { service: 'reading', peers: ids, messages: lists(origin.web.start) })
      return []
    },
  },
  {
    name: 'nonsense to every service',
    tries: 'Bytes without a meaning as questions to every service, and below the calls',
    run: async ({ hostile, ids, size }) => {
      const random = new Prng('nonsense')
      for (const service of services)
        await hostile.do('ask', { service, peers: ids, messages: nonsense(random, nonsenseEach[size]) })
      await hostile.do('sendRaw', { peers: ids, messages: nonsense(random, nonsenseEach[size]) })
      return []
    },
  },
  {
    name: 'nonsense as answers',
    tries: 'Everything that it is asked it answers with bytes without a meaning',
    run: async ({ hostile, honest }) => {
      await hostile.do('behave', { how: 'liar' })
      try {
        for (const peer of honest) {
          await peer.status()
          await peer.ask('/api/v1/jobs')
        }
      } finally {
        await hostile.do('behave', { how: 'honest' })
      }
      return []
    },
  },
]
