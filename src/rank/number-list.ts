// A list of numbers below 2³² that grows: 4 bytes each, where an array would take 8 and more.

export class NumberList {
  #numbers = new Uint32Array(1_024)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Uint32Array(2 * this.#length)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = number
  }

  get values(): Uint32Array {
    return this.#numbers.subarray(0, this.#length)
  }
}
