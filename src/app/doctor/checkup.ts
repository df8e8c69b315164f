// What the doctor makes of what was found: a verdict for each thing that a peer needs, with what to do where it is not well. No I/O.

import type { ReachView } from '../../platform/network/peer-network.ts'
import type { HomeFacts } from './home-facts.ts'

export interface Check {
  readonly name: CheckName
  /** `unknown`: it could not be found out. */
  readonly state: 'well' | 'warning' | 'broken' | 'unknown'
  readonly finding: string
  /** Of what is not well: who or what is to blame. */
  readonly fault?: Fault
  readonly advice?: string
  /** What the doctor can do about it itself, when told. */
  readonly mend?: Mend
}

type CheckName =
  | 'runtime'
  | 'home'
  | 'privacy'
  | 'leftovers'
  | 'store'
  | 'disk'
  | 'files'
  | 'clock'
  | 'ports'
  | 'browser'
  | 'reach'
  | 'places'
type Fault =
  | 'this machine'
  | 'the settings'
  | 'the owner'
  | 'another program'
  | 'a process that was killed'
  | 'the disk'
  | 'the network'

/** `privacy`: only the owner may read the home. `leftovers`: files of killed processes go. `mark`: the store is opened, which writes its
 * format mark anew. `unclosed`: it is opened, which looks at all of its index. `index`: as `store rebuild` does. `browser`: one is
 * fetched into the home. */
export type Mend = 'privacy' | 'leftovers' | 'mark' | 'unclosed' | 'index' | 'browser'

export interface PortFacts {
  readonly what: string
  readonly setting: string
  readonly port: number
  /** `ours`: a running peer of this home has it. */
  readonly use: 'free' | 'ours' | 'taken' | 'forbidden'
}

export interface BrowserFacts {
  /** undefined where there is none. */
  readonly path: string | undefined
  /** By the setting crawl.browserPath; '' when it names none. */
  readonly named: string
  readonly isWanted: boolean
  /** Whether one can be fetched for this kind of machine. */
  readonly canFetch: boolean
}

export interface DoctorFacts extends HomeFacts {
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
  readonly browser: BrowserFacts
  readonly isRunning: boolean
  /** `alone`: the home has no network. */
  readonly reach: ReachView | 'alone' | undefined
  /** Where others are to be told that they find us, by the owner's word. */
  readonly announced: readonly string[]
  /** How long a peer on probation has to prove itself; undefined for one that has places. */
  readonly probationMs?: number | undefined
}

const filesWanted = 4_096
const clockMsMax = 2_000
const clockMsBroken = 60_000

export function checkup(facts: DoctorFacts): Check[] {
  return [
    runtime(facts),
    home(facts),
    privacy(facts),
    leftovers(facts),
    store(facts),
    disk(facts),
    files(facts),
    clock(facts),
    ...facts.ports.map(port),
    browser(facts),
    reach(facts),
    ...places(facts),
  ]
}

/** Nothing to say of a peer that has places, or none to have. */
function places({ probationMs }: DoctorFacts): Check[] {
  if (probationMs === undefined) return []
  const days = Math.max(1, Math.round(probationMs / 86_400_000))
  return [
    {
      name: 'places',
      state: 'warning',
      finding: 'This peer is on probation: it keeps a spare copy, and has no place on the ring yet.',
      fault: 'the network',
      advice: `Let it run: it gets its places when two members have seen it there for ${days === 1 ? 'a day' : `${days} days`} and vouch for it (polyhistor status says how many do). An administrator ends it with: polyhistor network grant PEER member`,
    },
  ]
}

function runtime({ nodeVersion, nodeVersionMin }: DoctorFacts): Check {
  const major = Number(/^v?(\d+)/.exec(nodeVersion)?.[1])
  if (major >= nodeVersionMin) return { name: 'runtime', state: 'well', finding: `Node ${nodeVersion}.` }
  return {
    name: 'runtime',
    state: 'broken',
    finding: `Node ${nodeVersion} is too old.`,
    fault: 'this machine',
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
    fault: 'this machine',
    advice: 'Give it to the user that runs this, or choose another one with --home.',
  }
}

function privacy({ openToOthers }: DoctorFacts): Check {
  if (openToOthers.length === 0)
    return { name: 'privacy', state: 'well', finding: 'Only its owner can read the home.' }
  return {
    name: 'privacy',
    state: 'broken',
    finding: `Other users of this machine can read ${listed(openToOthers)}: who reads its token can change the archive.`,
    fault: 'the owner',
    advice: 'Make the home 0700 and these files 0600.',
    mend: 'privacy',
  }
}

function leftovers({ leftovers: found, isHeld }: DoctorFacts): Check {
  if (isHeld)
    return { name: 'leftovers', state: 'well', finding: 'A process works on the home: its files are in use.' }
  if (found.length === 0)
    return { name: 'leftovers', state: 'well', finding: 'Nothing is left over from killed processes.' }
  const bytes = found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return {
    name: 'leftovers',
    state: 'warning',
    finding: `${found.length === 1 ? 'A file or folder is' : `${found.length} files or folders are`} left over (${(bytes / 1e6).toFixed(1)} MB): ${listed(found.map(({ name }) => name))}.`,
    fault: 'a process that was killed',
    advice: 'They hold nothing that is archived, and most go at the next start.',
    mend: 'leftovers',
  }
}

function store({ store: { state, detail } }: DoctorFacts): Check {
  if (state === 'none') return { name: 'store', state: 'well', finding: 'Nothing is archived here yet.' }
  if (state === 'in use') return { name: 'store', state: 'well', finding: `The store is in use: ${detail}` }
  if (state === 'sound')
    return {
      name: 'store',
      state: 'well',
      finding: 'The store can be opened: its format and index are sound.',
    }
  if (state === 'unclosed')
    return {
      name: 'store',
      state: 'warning',
      finding: 'The last process that used the store did not close it.',
      fault: 'a process that was killed',
      advice: 'The next start looks at all of its index first, which takes a while for a large one.',
      mend: 'unclosed',
    }
  if (state === 'mark damaged')
    return {
      name: 'store',
      state: 'broken',
      finding: `The format mark of the store is damaged: ${detail}`,
      fault: 'the disk',
      advice: 'It is written anew where the volumes are sound. Look after the disk.',
      mend: 'mark',
    }
  if (state === 'other format')
    return {
      name: 'store',
      state: 'broken',
      finding: detail,
      fault: 'another program',
      advice: 'Use the version of Polyhistor that wrote it.',
    }
  return {
    name: 'store',
    state: 'broken',
    finding: state === 'index missing' ? 'There are volumes, and their index is gone.' : detail,
    fault: 'the disk',
    advice: 'Make it anew from the volumes, which have all that matters: polyhistor store rebuild.',
    mend: 'index',
  }
}

const namesListed = 5

function listed(names: readonly string[]): string {
  const more = names.length - namesListed
  return `${names.slice(0, namesListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
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
    fault: 'this machine',
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
    // Node raises its soft limit to the hard one by itself: what is left is the hard one, which only the system's owner may raise.
    finding: `Only ${filesMax} files and connections may be open at once, and a program cannot ask for more by itself.`,
    fault: 'this machine',
    advice: `Have the hard limit raised to ${filesWanted} or more: LimitNOFILE= of the service, or nofile in /etc/security/limits.conf.`,
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
    fault: 'this machine',
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
    ...(state === 'broken' && {
      fault: use === 'taken' ? 'another program' : 'the settings',
      advice: `Choose another one with ${setting}.`,
    }),
  }
}

function browser({ browser: { path, named, isWanted, canFetch } }: DoctorFacts): Check {
  if (path !== undefined) return { name: 'browser', state: 'well', finding: `There is a browser: ${path}.` }
  if (named !== '')
    return {
      name: 'browser',
      state: isWanted ? 'broken' : 'warning',
      finding: `There is no browser at ${named}.`,
      fault: 'the settings',
      advice: 'Correct crawl.browserPath, or take it out: an installed browser is found without.',
    }
  if (!isWanted)
    return {
      name: 'browser',
      state: 'well',
      finding: 'There is no browser on this machine, and none is asked for.',
    }
  return {
    name: 'browser',
    state: 'warning',
    finding: 'There is no browser on this machine, and crawl.browser asks for one.',
    fault: 'this machine',
    advice: 'Install Chrome or Chromium, or name one with crawl.browserPath.',
    ...(canFetch && { mend: 'browser' }),
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
      fault: 'the network',
      advice: `It works, more slowly. ${forward}`,
    }
  return {
    name: 'reach',
    state: 'broken',
    finding: `Others do not reach this peer: ${by(view)}; they see it at ${seen}, and no peer passes on to it. ${router}`,
    fault: 'the network',
    advice: `${forward} Or run one peer of the network where it can be reached: it passes on to the others.`,
  }
}

function by({ asked, reachedBy }: ReachView): string {
  return `${reachedBy} of ${asked} that were asked dialled it`
}
