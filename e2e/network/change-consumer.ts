// A consumer of changes as a process of its own, which can be killed and paused: writes what one peer tells to its output.
//
// Started by change-reader.ts. Ends with 1 when the peer went away, and with 2 when it did not answer with changes.

import { get } from 'node:http'
import { pipeline } from 'node:stream'

const gone = (): never => process.exit(1)

get(process.argv[2]!, (answer) => {
  if (answer.statusCode !== 200) process.exit(2)
  pipeline(answer, process.stdout, (error) => error && gone())
}).on('error', gone)
