// Runs `bin/polyhistor` as a person would, in a process of its own.

import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder, watched } from '../src/platform/fixtures/child-processes.ts'

export const root = join(import.meta.dirname, '..')

export interface Outcome {
  code: number | null
  output: string
  errors: string
}

export interface Circumstances {
  input?: string
  folder?: string
  environment?: Record<string, string>
}

export function polyhistor(words: string[], circumstances: Circumstances = {}): Promise<Outcome> {
  return runCommand(join(root, 'bin', 'polyhistor'), words, circumstances)
}

export async function runCommand(file: string, words: string[], given: Circumstances = {}): Promise<Outcome> {
  const environment = { ...withoutOurs(process.env), ...given.environment }
  const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe']
  const folders = [given.folder ?? '', ...Object.values(given.environment ?? {})]
  const child = watched(spawn(file, words, { cwd: given.folder, env: environment, stdio }), ...folders)
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  child.stdin.on('error', () => {}) // A command that never reads its input closes it.
  child.stdin.end(given.input ?? '')
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { code, output, errors }
}

/** A folder of its own for the running test, gone when that ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** What the developer has set must not change what the tests see. */
function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('POLYHISTOR_')))
}
