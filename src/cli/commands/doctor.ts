// `polyhistor doctor`: whether this machine has what a peer needs, and whether others reach it.

import { dirname } from 'node:path'
import { type Check, checkup, type DoctorFacts, type PortFacts } from '../../app/doctor/checkup.ts'
import { filesMax, portUse, writingProblem } from '../../app/doctor/machine-facts.ts'
import { describeHomeNetwork } from '../../app/ring/home-network.ts'
import type { RingPeerView } from '../../app/ring/ring-peer.ts'
import { installedBrowser, packedBrowser } from '../../platform/real/browser/executable.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { formatTable } from '../output/table.ts'
import type { PeerClient } from '../peer/peer-client.ts'
import { runningPeer } from '../peer/running-peer.ts'

const nodeVersionMin = 24

export async function examine(context: Context): Promise<ExitCode> {
  const { terminal, isJson } = context
  const facts = await factsOf(context)
  const checks = checkup(facts)
  const isWell = checks.every(({ state }) => state !== 'broken')
  if (isJson) {
    const reach = facts.reach === 'alone' ? undefined : facts.reach
    await terminal.printJson({ ok: isWell, checks, ...(reach && { reach }) })
  } else await terminal.printLine(formatTable(['', 'state', 'finding'], checks.map(rowOf), terminal.width))
  return isWell ? exitCodes.ok : exitCodes.no
}

function rowOf({ name, state, finding, advice }: Check): string[] {
  return [name, state, advice === undefined ? finding : `${finding} → ${advice}`]
}

async function factsOf(context: Context): Promise<DoctorFacts> {
  const { home, configuration } = context
  const { values } = configuration
  const peer = await runningPeer(context)
  const hasNetwork = (await describeHomeNetwork(home.folder)) !== undefined
  const ring = hasNetwork ? await ringOf(peer) : undefined
  const wanted = values['crawl.browser']
  return {
    nodeVersion: process.version,
    nodeVersionMin,
    homeProblem: await writingProblem(home.folder, dirname),
    freeBytes: await freeBytes(home.folder),
    reserveBytes: values['store.reserve'],
    filesMax: await filesMax(),
    clockOffsetsMs: (ring?.neighbours ?? []).flatMap(({ clockOffsetMs }) => clockOffsetMs ?? []),
    ports: await portsOf(context, { isRunning: peer !== undefined, hasNetwork }),
    browser: { path: await browserOf(values['crawl.browserPath']), isWanted: wanted !== 'never' },
    isRunning: peer !== undefined,
    reach: hasNetwork ? ring?.reach : 'alone',
    announced: values['ring.announce'],
  }
}

async function ringOf(peer: PeerClient | undefined): Promise<RingPeerView | undefined> {
  return peer?.get<RingPeerView>('/api/v1/ring')
}

async function browserOf(named: string): Promise<string | undefined> {
  if (named !== '') return named
  return installedBrowser() ?? (await packedBrowser().catch(() => undefined))
}

/** Of the folder, or of the one that it will lie in. */
async function freeBytes(folder: string): Promise<number | undefined> {
  const disk = new RealDisk()
  for (let at = folder; ; at = dirname(at)) {
    const free = await disk.freeBytes(at).catch(() => undefined)
    if (free !== undefined || dirname(at) === at) return free
  }
}

async function portsOf(
  { configuration: { values } }: Context,
  { isRunning, hasNetwork }: { isRunning: boolean; hasNetwork: boolean },
): Promise<PortFacts[]> {
  const http = values['http.address']
  const ring = values['ring.listen']
  const wanted = [
    { what: 'browsers', setting: '--http', ...http },
    ...(hasNetwork ? [{ what: 'other peers', setting: '--listen', ...ring }] : []),
  ]
  const ports = wanted.filter(({ port }) => port !== 0)
  return Promise.all(
    ports.map(async ({ what, setting, host, port }): Promise<PortFacts> => {
      const use = await portUse(port, host)
      return { what, setting, port, use: use === 'taken' && isRunning ? 'ours' : use }
    }),
  )
}
