// The `polyhistor` command.

import { enableCompileCache } from 'node:module'
import { hideInvitations } from './input/hidden-arguments.ts'

hideInvitations()

// Parsing sources anew costs a third of the start-up time. Worker threads look for the cache in the environment.
const { directory } = enableCompileCache()
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory

const words = process.argv.slice(2)
void (areUrlsAlone(words) ? showUrls() : runProgram())

function areUrlsAlone([command, ...given]: readonly string[]): boolean {
  const isPlain = (word: string) => word === '--json' || word === '-' || !word.startsWith('-')
  return command === 'url' && given.every(isPlain) && given.some((word) => word !== '--json')
}

async function showUrls(): Promise<void> {
  const { showUrlsAlone } = await import('./url-alone.ts')
  process.exitCode = await showUrlsAlone(words.slice(1))
}

async function runProgram(): Promise<void> {
  const { run } = await import('./program.ts')
  await run(words)
}
