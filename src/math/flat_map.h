// A table of values by keys that is emptied and filled again and again: its memory stays, and nothing is allocated for an
// entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stickslip {

/// Spreads the bits of a number over all of it.
inline std::uint64_t spread_bits(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  return x ^ x >> 29;
}

/// Keys are found by looking from the place that their hash names on. Entries are never taken out one by one.
template <class Key, class Value, class Hash>
class FlatMap {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }

  void clear() {
    count_ = 0;
    if (++round_ != 0) return;
    for (Slot& s : slots_) s.round = 0;   // once in 2³² times
    round_ = 1;
  }

  const Value* find(const Key& key) const {
    if (count_ == 0) return nullptr;
    for (std::size_t at = Hash{}(key)&mask();; at = (at + 1) & mask()) {
      const Slot& s = slots_[at];
      if (s.round != round_) return nullptr;
      if (s.key == key) return &s.value;
    }
  }

  /// The value of a key, new if there was none. Stays where it is until the next new one.
  Value& operator[](const Key& key) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    for (std::size_t at = Hash{}(key)&mask();; at = (at + 1) & mask()) {
      Slot& s = slots_[at];
      if (s.round == round_ && s.key != key) continue;
      if (s.round != round_) {
        s = {key, Value{}, round_};
        ++count_;
      }
      return s.value;
    }
  }

  /// Calls f(value) for all, in an order that says nothing.
  void for_each(auto&& f) const {
    for (const Slot& s : slots_)
      if (s.round == round_) f(s.value);
  }

  void swap(FlatMap& other) {
    slots_.swap(other.slots_);
    std::swap(count_, other.count_);
    std::swap(round_, other.round_);
  }

 private:
  struct Slot {
    Key key{};
    Value value{};
    std::uint32_t round = 0;   ///< in which it was filled; another than that of the table: it is free
  };
  std::size_t mask() const { return slots_.size() - 1; }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    count_ = 0;
    for (const Slot& s : old)
      if (s.round == round_) (*this)[s.key] = s.value;
  }

  std::vector<Slot> slots_;   ///< as many as a power of two
  std::size_t count_ = 0;
  std::uint32_t round_ = 1;
};

}   // namespace stickslip
