// holder.json: who holds a home. Only told to people; the lock itself is in home-lock.ts.
//
// May be left over from a process that was killed: it counts only while the lock is held.

import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Holder {
  pid: number
  command: string
  host: string
  /** ISO 8601. */
  since: string
}

const fileName = 'holder.json'
// Whoever got the lock this moment has yet to write who it is.
const looksMax = 10
const lookAgainMs = 20
/** A longer word is cut short: it may be an invitation, which is a secret. */
const wordCharsMax = 160
const wordCharsShown = 20

export function thisProcess(): Holder {
  const [program = process.execPath, ...words] = process.argv.slice(1)
  return {
    pid: process.pid,
    command: [basename(program), ...words.map(shortened)].join(' ').slice(0, 500),
    host: hostname(),
    since: new Date().toISOString(),
  }
}

function shortened(word: string): string {
  return word.length <= wordCharsMax ? word : `${word.slice(0, wordCharsShown)}…`
}

export async function writeHolder(folder: string, holder: Holder): Promise<void> {
  // Written aside and renamed, so that nobody reads half of it.
  const draft = join(folder, `${fileName}.new`)
  await writeFile(draft, `${JSON.stringify(holder)}\n`)
  await rename(draft, join(folder, fileName))
}

export async function removeHolder(folder: string): Promise<void> {
  await rm(join(folder, fileName), { force: true })
}

/** Who holds this home, for all that is known. Only while the lock is held. */
export async function readHolder(folder: string): Promise<Holder | undefined> {
  for (let look = 1; ; look++) {
    const holder = await holderIn(folder)
    if ((holder !== undefined && isAlive(holder)) || look === looksMax) return holder
    await sleep(lookAgainMs)
  }
}

export function describeHolder(holder: Holder | undefined): string {
  if (holder === undefined) return 'another process'
  const where = holder.host === hostname() ? '' : ` on ${holder.host}`
  return `process ${holder.pid}${where} (${holder.command}), since ${holder.since}`
}

async function holderIn(folder: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(join(folder, fileName), 'utf8')) as Partial<Holder>
    const { pid, command, host, since } = holder
    if (typeof pid !== 'number' || typeof since !== 'string') return undefined
    return { pid, since, command: String(command), host: String(host) }
  } catch {
    return undefined
  }
}

/** Whether this may be the holder: one that is gone here was killed, and another has the lock by now. */
function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
