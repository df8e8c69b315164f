// What the doctor makes of what was found: a verdict for each thing that a peer needs, with what to do where it is not well. No I/O.

import type { ReachView } from '../../platform/network/peer-network.ts'

export interface Check {
  readonly name: 'runtime' | 'home' | 'disk' | 'files' | 'clock' | 'ports' | 'browser' | 'reach'
  /** `unknown`: it could not be found out. */
  readonly state: 'well' | 'warning' | 'broken' | 'unknown'
  readonly finding: string
  readonly advice?: string
}

export interface PortFacts {
  readonly what: string
  readonly setting: string
  readonly port: number
  /** `ours`: a running peer of this home has it. */
  readonly use: 'free' | 'ours' | 'taken' | 'forbidden'
}

export interface DoctorFacts {
  readonly nodeVersion: string
  readonly nodeVersionMin: number
  /** Why the home cannot be written to; undefined when it can. */
  readonly homeProblem: string | undefined
  readonly freeBytes: number | undefined
  readonly reserveBytes: number
  readonly filesMax: number | undefined
  /** Of the peers that were heard: by how much their clocks are ahead of ours. */
  readonly clockOffsetsMs: readonly number[]
  readonly ports: readonly PortFacts[]
  readonly browser: { readonly path: string | undefined; readonly isWanted: boolean }
  readonly isRunning: boolean
  /** `alone`: the home has no network. */
  readonly reach: ReachView | 'alone' | undefined
  /** Where others are to be told that they find us, by the owner's word. */
  readonly announced: readonly string[]
}

const filesWanted = 4_096
const clockMsMax = 2_000
const clockMsBroken = 60_000

export function checkup(facts: DoctorFacts): Check[] {
  return [
    runtime(facts),
    home(facts),
    disk(facts),
    files(facts),
    clock(facts),
    ...facts.ports.map(port),
    browser(facts),
    reach(facts),
  ]
}

function runtime({ nodeVersion, nodeVersionMin }: DoctorFacts): Check {
  const major = Number(/^v?(\d+)/.exec(nodeVersion)?.[1])
  if (major >= nodeVersionMin) return { name: 'runtime', state: 'well', finding: `Node ${nodeVersion}.` }
  return {
    name: 'runtime',
    state: 'broken',
    finding: `Node ${nodeVersion} is too old.`,
    advice: `Install Node ${nodeVersionMin} or later.`,
  }
}

function home({ homeProblem }: DoctorFacts): Check {
  if (homeProblem === undefined)
    return { name: 'home', state: 'well', finding: 'The home can be written to.' }
  return {
    name: 'home',
    state: 'broken',
    finding: `The home cannot be written to: ${homeProblem}.`,
    advice: 'Give it to the user that runs this, or choose another one with --home.',
  }
}

function disk({ freeBytes, reserveBytes }: DoctorFacts): Check {
  if (freeBytes === undefined)
    return { name: 'disk', state: 'unknown', finding: 'The system does not say how much room the disk has.' }
  const free = `${(freeBytes / 1e9).toFixed(1)} GB of the disk are free`
  if (freeBytes > 2 * reserveBytes) return { name: 'disk', state: 'well', finding: `${free}.` }
  const isFull = freeBytes <= reserveBytes
  return {
    name: 'disk',
    state: isFull ? 'broken' : 'warning',
    finding: `${free}; ${(reserveBytes / 1e9).toFixed(1)} GB are kept free${isFull ? ', so nothing more is kept' : ''}.`,
    advice: 'Make room, add a volume folder on another disk, or lower store.reserve.',
  }
}

function files({ filesMax }: DoctorFacts): Check {
  if (filesMax === undefined)
    return { name: 'files', state: 'unknown', finding: 'The system does not say how many files may be open.' }
  if (filesMax >= filesWanted)
    return { name: 'files', state: 'well', finding: `${filesMax} files and connections may be open.` }
  return {
    name: 'files',
    state: 'warning',
    finding: `Only ${filesMax} files and connections may be open at once.`,
    advice: `Raise it to ${filesWanted} or more: ulimit -n ${filesWanted}, or LimitNOFILE= of the service.`,
  }
}

function clock({ clockOffsetsMs, isRunning }: DoctorFacts): Check {
  if (clockOffsetsMs.length === 0) {
    const why = isRunning ? 'no other peer was heard yet' : 'no peer of this home runs'
    return { name: 'clock', state: 'unknown', finding: `There is nobody to compare the clock with: ${why}.` }
  }
  const sorted = clockOffsetsMs.toSorted((one, other) => one - other)
  const offMs = sorted[Math.floor(sorted.length / 2)]!
  const seconds = `${(Math.abs(offMs) / 1_000).toFixed(1)} s ${offMs > 0 ? 'behind' : 'ahead of'}`
  if (Math.abs(offMs) <= clockMsMax)
    return { name: 'clock', state: 'well', finding: 'The clock agrees with those of the other peers.' }
  return {
    name: 'clock',
    state: Math.abs(offMs) > clockMsBroken ? 'broken' : 'warning',
    finding: `The clock is ${seconds} those of ${sorted.length} other peers.`,
    advice: 'Let the system set it by NTP: captures bear its time.',
  }
}

function port({ what, setting, port: number, use }: PortFacts): Check {
  const state = use === 'taken' || use === 'forbidden' ? 'broken' : 'well'
  const finding = {
    free: `Port ${number} for ${what} is free.`,
    ours: `Port ${number} for ${what} is used by the peer of this home.`,
    taken: `Port ${number} for ${what} is used by another program.`,
    forbidden: `Port ${number} for ${what} may not be listened on by this user.`,
  }[use]
  return {
    name: 'ports',
    state,
    finding,
    ...(state === 'broken' && { advice: `Choose another one with ${setting}.` }),
  }
}

function browser({ browser: { path, isWanted } }: DoctorFacts): Check {
  if (path !== undefined) return { name: 'browser', state: 'well', finding: `There is a browser: ${path}.` }
  return {
    name: 'browser',
    state: isWanted ? 'warning' : 'well',
    finding: `There is no browser on this machine${isWanted ? '' : ', and none is asked for'}.`,
    ...(isWanted && { advice: 'Install Chrome or Chromium, or name one with crawl.browserPath.' }),
  }
}

function reach({ reach: view, isRunning, announced }: DoctorFacts): Check {
  if (view === 'alone')
    return { name: 'reach', state: 'well', finding: 'This home has no network: nobody has to reach it.' }
  if (!isRunning || view === undefined)
    return {
      name: 'reach',
      state: 'unknown',
      finding: 'Only a running peer can find out whether others reach it.',
      advice: 'Start it with: polyhistor peer',
    }
  const seen = view.seenAt.map((host) => host.replace(/^\/ip[46]\//, '')).join(', ')
  if (view.state === 'reached')
    return {
      name: 'reach',
      state: 'well',
      finding: `Others reach this peer directly: ${by(view)}, at ${seen}.`,
    }
  if (view.state === 'unknown')
    return {
      name: 'reach',
      state: 'unknown',
      finding: 'No peer on another machine has been met that could tell.',
      advice: 'Name one with --join, and ask again.',
    }
  const router = `Router: ${view.router}.`
  const forward = `Let the router pass the peers' port on to this machine${announced.length > 0 ? ' (ring.announce names one that does not lead here)' : ''}, or allow UPnP there.`
  if (view.state === 'relayed')
    return {
      name: 'reach',
      state: 'warning',
      finding: `Others reach this peer through ${view.relays.length === 1 ? 'another peer' : `${view.relays.length} other peers`}, not directly: ${by(view)}; they see it at ${seen}. ${router}`,
      advice: `It works, more slowly. ${forward}`,
    }
  return {
    name: 'reach',
    state: 'broken',
    finding: `Others do not reach this peer: ${by(view)}; they see it at ${seen}, and no peer passes on to it. ${router}`,
    advice: `${forward} Or run one peer of the network where it can be reached: it passes on to the others.`,
  }
}

function by({ asked, reachedBy }: ReachView): string {
  return `${reachedBy} of ${asked} that were asked dialled it`
}
