// The `polyhistor` command.

import { enableCompileCache } from 'node:module'

// Parsing sources anew costs a third of the start-up time.
enableCompileCache()
void import('./program.ts').then(({ run }) => run(process.argv.slice(2)))
