// Volunteers in processes of their own, as people run them, and some that people should not.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { firstLine, watched } from '../../src/platform/fixtures/child-processes.ts'
import { root } from '../command.ts'
import { runWords } from '../ring/peer-process.ts'

export interface VolunteerProcess {
  readonly id: string
  readonly page: string | undefined
  readonly process: ChildProcess
}

/** What a volunteer is started with. */
export interface VolunteerStart {
  readonly home: string
  readonly invitation: string
  /** Of a peer. */
  readonly address: string
}

export async function inviteVolunteers(home: string, uses: number): Promise<string> {
  const words = ['network', 'invite', '--role', 'volunteer', '--uses', String(uses), '--json', '--home', home]
  return (JSON.parse(await runWords(words)) as { invitation: string }).invitation
}

/** In its sandbox; of this clone, or of a program that was built. */
export function startVolunteer(
  { home, invitation, address }: VolunteerStart,
  built?: string,
): Promise<VolunteerProcess> {
  const given = [
    'volunteer',
    '--json',
    '--invite',
    invitation,
    '--join',
    address,
    '--no-busy',
    '--no-battery',
  ]
  const more = ['--allow-address', '127.0.0.0/8', '--home', home]
  if (built === undefined) return started(spawn(join(root, 'bin', 'polyhistor'), [...given, ...more]))
  return started(spawn(process.execPath, [join(built, 'dist/cli/main.js'), ...given, ...more]))
}

/** Forges what it fetches, or takes very long. */
export function startBadVolunteer(
  { home, invitation, address }: VolunteerStart,
  how: 'forging' | 'slow',
): Promise<VolunteerProcess> {
  const script = join(import.meta.dirname, 'lying-volunteer.ts')
  return started(spawn(process.execPath, [script, home, invitation, address, how]))
}

async function started(child: ChildProcessWithoutNullStreams): Promise<VolunteerProcess> {
  watched(child)
  try {
    const { volunteer, page } = JSON.parse(await firstLine(child)) as { volunteer: string; page?: string }
    return { id: volunteer, page, process: child }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}
