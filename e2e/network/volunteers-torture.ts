// Real peers crawl a generated web with many volunteers, each a process: some are killed at random moments, some forge, some are slow. In the end
// every URL is kept once and as its server sent it, no host was asked by two at once or too soon, who forges is shut out, and nobody else.
// `npm run torture -- volunteers` runs it; the tests run a small one.

import { join } from 'node:path'
import type { NetworkStatus, VolunteerStatus } from '../../src/model/peer-status.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { ArchivePeer } from './archive-peer.ts'
import { breachesOf } from './arrivals.ts'
import { NetworkOfPeers } from './network-of-peers.ts'
import { SitesProcess } from './sites-process.ts'
import { until } from './until.ts'
import {
  inviteVolunteers,
  startBadVolunteer,
  startVolunteer,
  type VolunteerProcess,
} from './volunteer-processes.ts'

export interface VolunteersTorture {
  readonly seed: string
  readonly peers: number
  readonly volunteers: number
  /** Of them. */
  readonly killed: number
  readonly lying: number
  readonly slow: number
  readonly sites: number
  readonly pages: number
  readonly tell: (sentence: string) => void
}

interface Outcome {
  /** What was not as it must be, a sentence each. */
  readonly failures: string[]
  readonly figures: Record<string, number>
}

interface Volunteers {
  readonly honest: VolunteerProcess[]
  readonly lying: VolunteerProcess[]
  readonly slow: VolunteerProcess[]
}

const delayMs = 300
const jobMsMax = 900_000
const killEveryMs = 4_000
const startsAtOnce = 4
const failuresShown = 10

export async function tortureVolunteers(torture: VolunteersTorture): Promise<Outcome> {
  const { seed, peers, tell } = torture
  const random = new SimulatedRandom(seed)
  const shape = { sites: torture.sites, pages: torture.pages, images: 2, seed, latencyMs: 10 }
  const origin = await SitesProcess.start(shape)
  const words = ['--allow-address', '127.0.0.0/8', '--delay', String(delayMs)]
  const network = await NetworkOfPeers.start({ peers, words }, random)
  const running: VolunteerProcess[] = []
  try {
    const volunteers = await startAll(torture, network, running)
    tell(`${running.length} volunteers wait for work`)
    const begunMs = performance.now()
    await crawl(torture, network, origin.web.start, { volunteers, random })
    const seconds = (performance.now() - begunMs) / 1_000
    const judged = await judge(network, origin, volunteers)
    return { ...judged, figures: { ...judged.figures, seconds: Math.round(seconds) } }
  } finally {
    for (const { process } of running) process.kill('SIGKILL')
    await network.removeFolder()
    await origin.stop()
  }
}

async function startAll(
  { volunteers, lying, slow }: VolunteersTorture,
  network: NetworkOfPeers,
  running: VolunteerProcess[],
): Promise<Volunteers> {
  const invitation = await inviteVolunteers(network.peers[0]!.home, volunteers + 4)
  const startOf = (number: number) => ({
    home: join(network.folder, `volunteer-${number}`),
    invitation,
    address: `127.0.0.1:${network.ports[number % network.ports.length]}`,
  })
  const kindOf = (number: number) => (number < lying ? 'lying' : number < lying + slow ? 'slow' : 'honest')
  const all: Volunteers = { honest: [], lying: [], slow: [] }
  for (let first = 0; first < volunteers; first += startsAtOnce) {
    const numbers = Array.from({ length: Math.min(startsAtOnce, volunteers - first) }, (_, at) => first + at)
    await Promise.all(
      numbers.map(async (number) => {
        const kind = kindOf(number)
        const start = startOf(number)
        const volunteer = await (kind === 'honest'
          ? startVolunteer(start)
          : startBadVolunteer(start, kind === 'lying' ? 'forging' : 'slow'))
        running.push(volunteer)
        all[kind].push(volunteer)
      }),
    )
  }
  return all
}

/** Until the job has ended; meanwhile so many of the honest are killed. */
async function crawl(
  { killed, tell }: VolunteersTorture,
  network: NetworkOfPeers,
  start: string,
  { volunteers, random }: { volunteers: Volunteers; random: SimulatedRandom },
): Promise<void> {
  const [first] = network.peers
  const { id } = await first!.startJob([start])
  const endMs = performance.now() + jobMsMax
  const victims = [...volunteers.honest]
  let left = killed
  let nextMs = performance.now() + killEveryMs
  for (;;) {
    const { state, counters } = await first!.job(id)
    if (state === 'done') break
    if (performance.now() > endMs)
      throw new Error(`The job has not ended: ${state} ${JSON.stringify(counters)}`)
    if (left > 0 && performance.now() >= nextMs) {
      const [victim] = victims.splice(random.below(victims.length), 1)
      victim!.process.kill('SIGKILL')
      left--
      nextMs = performance.now() + random.below(2 * killEveryMs)
      tell(`killed ${victim!.id}; the job: ${JSON.stringify(counters)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  if (left > 0)
    throw new Error(`The job ended before ${left} volunteers could be killed: make the web larger`)
}

async function judge(
  network: NetworkOfPeers,
  origin: SitesProcess,
  volunteers: Volunteers,
): Promise<Outcome> {
  const [first] = network.peers
  const arrivals = await origin.arrivals()
  const known = await volunteersKnown(first!, volunteers)
  const misreadings = await readAll(first!, origin)
  const pages = arrivals.filter(({ path }) => path !== '/robots.txt').length
  const failures = [
    ...breachesOf(arrivals, delayMs),
    ...network.faults,
    ...misreadings,
    ...volunteers.lying.flatMap(({ id }) => liarProblem(id, known.get(id))),
    ...[...volunteers.honest, ...volunteers.slow].flatMap(({ id }) =>
      known.get(id)?.state === 'barred' ? [`${id} is shut out and has not lied`] : [],
    ),
  ]
  const fetched = (list: VolunteerProcess[]) =>
    list.reduce((sum, { id }) => sum + (known.get(id)?.fetched ?? 0), 0)
  return {
    failures: failures.slice(0, failuresShown),
    figures: {
      urls: origin.web.urls.length,
      requests: pages,
      wasted: Math.round((1_000 * (pages - origin.web.urls.length)) / pages) / 1_000,
      byHonest: fetched(volunteers.honest),
      bySlow: fetched(volunteers.slow),
      byLiars: fetched(volunteers.lying),
      idleLiars: volunteers.lying.filter(
        ({ id }) => (known.get(id)?.fetched ?? 0) === 0 && known.get(id)?.state !== 'barred',
      ).length,
      barred: [...known.values()].filter(({ state }) => state === 'barred').length,
    },
  }
}

/** Once all peers have told of them, and of those who lie that they are shut out; what there is when that takes too long. */
async function volunteersKnown(
  peer: ArchivePeer,
  { lying }: Volunteers,
): Promise<Map<string, VolunteerStatus>> {
  let known = new Map<string, VolunteerStatus>()
  await until('all to tell of volunteers', async () => {
    const { peers, volunteers = [] } = await peer.ask<NetworkStatus>('/api/v1/status')
    known = new Map(volunteers.map((one) => [one.id, one]))
    const areFound = lying.every(({ id }) => liarProblem(id, known.get(id)).length === 0)
    return areFound && peers.every(({ status }) => status !== undefined)
  }).catch(() => {})
  return known
}

function liarProblem(id: string, known: VolunteerStatus | undefined): string[] {
  // Who was given nothing could not lie: `idleLiars` counts them.
  if (known === undefined || known.fetched === 0) return []
  return known.state === 'barred' ? [] : [`${id} lies and is ${known.state} after ${known.fetched} pages`]
}

/** Each URL is kept once, and is what the server sent. */
async function readAll(peer: ArchivePeer, origin: SitesProcess): Promise<string[]> {
  const failures: string[] = []
  const hosts = new Set(origin.web.urls.map((url) => new URL(url).host))
  const listed = new Map<string, { url: string; timestamp: string }[]>()
  for (const host of hosts)
    for (const capture of await peer.listed(host))
      listed.set(capture.url, [...(listed.get(capture.url) ?? []), capture])
  for (const url of origin.web.urls) {
    const captures = listed.get(url) ?? []
    if (captures.length !== 1) failures.push(`${url} is kept ${captures.length} times`)
    for (const capture of captures)
      if (/is true/.test((await peer.read(capture)).toString('latin1'))) failures.push(`${url} is forged`)
  }
  return failures
}

export async function tortureVolunteersFromCommandLine(given: {
  seed: string
  peers: string | undefined
}): Promise<number> {
  const tell = (sentence: string): void => console.error(sentence)
  const { failures, figures } = await tortureVolunteers({
    ...{ seed: given.seed, peers: Number(given.peers ?? 3), tell },
    ...{ volunteers: 20, killed: 5, lying: 3, slow: 2, sites: 24, pages: 48 },
  })
  console.log(JSON.stringify({ seed: given.seed, ...figures, failures }))
  return failures.length === 0 ? 0 : 1
}
