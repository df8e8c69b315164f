// The `polyhistor` command.

import { enableCompileCache } from 'node:module'
import { hideInvitations } from './input/hidden-arguments.ts'
import { areUrlsAlone } from './input/plain-urls.ts'

hideInvitations()

// Parsing sources anew costs a third of the start-up time. Worker threads look for the cache in the environment.
const { directory } = enableCompileCache()
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory

const words = process.argv.slice(2)
void (areUrlsAlone(words) ? showUrls() : runProgram())

async function showUrls(): Promise<void> {
  const { runUrlsAlone } = await import('./url-alone.ts')
  runUrlsAlone(words)
}

async function runProgram(): Promise<void> {
  const { run } = await import('./program.ts')
  await run(words)
}
