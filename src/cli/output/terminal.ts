// Where commands write: data on stdout, sentences on stderr.
//
// A reader that goes away early (`| head`) is a normal end, not a failure. Writing waits for a slow reader, so a
// command that prints millions of lines keeps none of them in memory.

import { once } from 'node:events'

export class Terminal {
  readonly #output: NodeJS.WriteStream
  readonly #errors: NodeJS.WriteStream
  #isDrawn = false

  constructor(output: NodeJS.WriteStream = process.stdout, errors: NodeJS.WriteStream = process.stderr) {
    this.#output = output
    this.#errors = errors
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0)
      throw error
    })
  }

  /** Columns to lay tables out in; endless where no person reads along. */
  get width(): number {
    return this.#output.isTTY ? this.#output.columns : Number.POSITIVE_INFINITY
  }

  /** A progress line may be drawn over and over. */
  get isInteractive(): boolean {
    return this.#errors.isTTY === true
  }

  async print(text: string | Uint8Array): Promise<void> {
    if (!this.#output.write(text)) await once(this.#output, 'drain')
  }

  async printLine(line: string): Promise<void> {
    await this.print(`${line}\n`)
  }

  async printJson(value: unknown): Promise<void> {
    await this.printLine(JSON.stringify(value))
  }

  /** A sentence for the person at the keyboard. */
  tell(sentence: string): void {
    if (this.#isDrawn) this.redraw('')
    this.#errors.write(`${sentence}\n`)
  }

  /** Draws a line of progress over the last one; an empty one takes it away. */
  redraw(line: string): void {
    const room = (this.#errors.columns || 80) - 1
    this.#isDrawn = line !== ''
    this.#errors.write(`\r\u001b[K${line.slice(0, room)}`)
  }
}
