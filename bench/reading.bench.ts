// `npm run bench -- reading [--quick]`: what reading costs on a network, beside reading the store itself.
//
//   store      the peer's own store, as a peer by itself reads it
//   complete   the same through the network's archive, on a peer that keeps all of the site
//   elsewhere  on a peer that keeps nothing of it: from another peer over libp2p, nothing remembered
//
// Real peers on loopback in this process: the processor time of `elsewhere` is that of both sides, their transport included.
// Contenders take turns, round by round; the medians of the rounds' ratios count.

import { parseArgs } from 'node:util'
import { type ReadingPeer, startReadingNetwork } from '../src/app/fixtures/reading-network.ts'
import { allOf } from '../src/model/listed.ts'
import { parseUrl } from '../src/model/url/url.ts'
import { type ReadableArchive, storeArchive } from '../src/network/remote-reads/archive/readable-archive.ts'
import { pageCapture, pageText } from '../src/store/fixtures/sample-captures.ts'
import { median, printTable } from './measure.ts'

const site = 'read.example'
const startMs = Date.UTC(2024, 0, 1)
const pageBytes = 15_000
const versionsOfOne = 100

interface Kind {
  readonly name: string
  readonly operations: number
  run(archive: ReadableArchive): Promise<void>
}

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { quick: { type: 'boolean' } } })
  const pages = values.quick ? 100 : 400
  const rounds = values.quick ? 3 : 9
  const network = await startReadingNetwork(3, 1, { cacheBytes: 0 })
  try {
    for (let number = 0; number < pages; number++)
      await network.keep(pageCapture(pageUrl(number), startMs, pageText(number, pageBytes)))
    for (let version = 0; version < versionsOfOne; version++)
      await network.keep(pageCapture(`http://${site}/many`, startMs + version * 3_600_000, `<p>${version}`))
    const [holder] = network.holdersOf(pageUrl(0)) as [ReadingPeer]
    const reader = network.peers.find((peer) => peer !== holder)!
    const contenders = {
      store: storeArchive(holder.store),
      complete: holder.archive,
      elsewhere: reader.archive,
    }
    const rows: string[][] = []
    for (const kind of kindsOf(pages)) rows.push(...(await measured(kind, contenders, rounds)))
    console.log(printTable(['', 'archive', 'µs of processor', 'ratio', 'µs of time', 'ratio'], rows))
  } finally {
    await network.close()
  }
}

const pageUrl = (number: number): string => `http://${site}/page/${number}`

function kindsOf(pages: number): Kind[] {
  return [
    {
      name: `a page of ${pageBytes / 1_000} kB: found and read`,
      operations: pages,
      run: async (archive) => {
        for (let number = 0; number < pages; number++) {
          const found = await archive.nearest(parseUrl(pageUrl(number)), startMs)
          const { payload } = await archive.read(found!)
          for await (const _ of payload());
        }
      },
    },
    {
      name: `the last of ${versionsOfOne} versions`,
      operations: 50,
      run: async (archive) => {
        for (let count = 0; count < 50; count++)
          await allOf(archive.versions(parseUrl(`http://${site}/many`), { reverse: true, limit: 1 }))
      },
    },
    {
      name: 'a capture in a list of the site',
      operations: pages + versionsOfOne,
      run: async (archive) => void (await allOf(archive.scan({ kind: 'site', site }))),
    },
    {
      name: 'a capture in an export of the site',
      operations: pages + versionsOfOne,
      run: async (archive) => {
        const request = { format: 'warc', selection: { kind: 'site', site } } as const
        for await (const _ of archive.export(request).chunks);
      },
    },
  ]
}

interface Cost {
  readonly processor: number
  readonly time: number
}

async function measured(
  kind: Kind,
  contenders: Record<string, ReadableArchive>,
  rounds: number,
): Promise<string[][]> {
  const names = Object.keys(contenders)
  const costs = new Map(names.map((name) => [name, [] as Cost[]]))
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const cost = await costOf(() => kind.run(contenders[name]!), kind.operations)
      if (round >= 0) costs.get(name)!.push(cost)
    }
  }
  const ratio = (name: string, what: keyof Cost): string =>
    median(costs.get(name)!.map((cost, round) => cost[what] / costs.get(names[0]!)![round]![what])).toFixed(2)
  const middle = (name: string, what: keyof Cost): string =>
    median(costs.get(name)!.map((cost) => cost[what])).toFixed(1)
  return names.map((name, index) => [
    index === 0 ? kind.name : '',
    name,
    middle(name, 'processor'),
    ratio(name, 'processor'),
    middle(name, 'time'),
    ratio(name, 'time'),
  ])
}

async function costOf(work: () => Promise<void>, operations: number): Promise<Cost> {
  const before = process.cpuUsage()
  const start = performance.now()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { processor: (user + system) / operations, time: ((performance.now() - start) * 1_000) / operations }
}
