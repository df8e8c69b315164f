// Tools that the benchmark needs besides this package, and how to get one that is missing.

import { spawnSync } from 'node:child_process'

const installs: Readonly<Record<string, string>> = {
  wrk: 'apt-get install wrk, or brew install wrk',
  nginx: 'apt-get install nginx-light, or brew install nginx',
  taskset: 'apt-get install util-linux',
}

/** Its path; the process ends with a sentence when there is none. */
export function needTool(name: string): string {
  const found = spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/usr/local/sbin command -v ${name}`], {
    encoding: 'utf8',
  })
  const path = found.stdout.trim()
  if (path !== '') return path
  console.error(`This benchmark needs ${name}, which is not installed: ${installs[name] ?? ''}`)
  process.exit(69)
}
