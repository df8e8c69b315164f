// The `polyhistor` command.

import { enableCompileCache } from 'node:module'
import { hideInvitations } from './input/hidden-arguments.ts'

hideInvitations()

// Parsing sources anew costs a third of the start-up time. Worker threads look for the cache in the environment.
const { directory } = enableCompileCache()
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
void import('./program.ts').then(({ run }) => run(process.argv.slice(2)))
