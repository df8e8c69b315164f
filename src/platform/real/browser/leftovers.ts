// What browsers of an earlier run left behind, when that was killed: processes that still run, and their profiles.
//
// Profiles lie in a folder of this home, which one process at a time works on; so whatever names that folder in its command line was
// started by one that is gone. Nothing else is touched: other browsers of this machine name other folders.

import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const listMsMax = 5_000
const listBytesMax = 16 * 1024 * 1024

/** Makes the folder, or empties it. */
export async function removeLeftovers(folder: string): Promise<void> {
  await endBrowsers(join(folder, 'profile-'))
  await removed(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

/** Browsers may still write while they end: what cannot be removed now is removed at the next start. */
export async function removed(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {})
}

/** Those whose profile's path begins so. */
export async function endBrowsers(profile: string): Promise<void> {
  for (const pid of await browsersOn(profile)) end(pid)
}

export async function browsersOn(profile: string): Promise<number[]> {
  const mark = `--user-data-dir=${profile}`
  const found = process.platform === 'linux' ? await fromProc() : await fromPs()
  return found
    .filter(({ command, pid }) => command.includes(mark) && pid !== process.pid)
    .map(({ pid }) => pid)
}

interface RunningProcess {
  readonly pid: number
  readonly command: string
}

async function fromProc(): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  return Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      command: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    })),
  )
}

async function fromPs(): Promise<RunningProcess[]> {
  if (process.platform === 'win32') return []
  try {
    const options = { timeout: listMsMax, maxBuffer: listBytesMax }
    const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,command='], options)
    return stdout.split('\n').map((line) => ({ pid: Number.parseInt(line, 10), command: line }))
  } catch {
    return []
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already, or another user's.
  }
}
