// Siconos text: numbers between blanks, then any remark.
//
//   friction:  dimension (2, 3, 5), contacts, storage, matrix, q, μ (one per contact), μ_r (dimension 5), [0 or 1]
//   global:    the same with M v = H r + f, u = Hᵀ v + q: dimension, contacts, storage, M, storage, H (rows of M × dimension ·
//              contacts), f, q, μ, [0 or 1]
//   LCP:       n, storage, matrix, q
//   our own:   the word boxed-lcp, then an LCP, then n lower and n upper bounds (inf and -inf are allowed)
//
// A matrix is: rows, columns, and
//   storage 0  rows and columns again, then all numbers column by column;
//   storage 1  number of blocks, block rows, block columns, where every block row and column ends, the lengths of the two
//              index lists, the first block of every block row (and the end), the block column of every block; then for every
//              block its number and its numbers column by column;
//   storage 2  1 for triplets, 2 for compressed columns, then the matrix as CSparse prints it, words between the numbers.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "problem/files/formats.h"

namespace stickslip::files {

namespace {

using Entries = std::vector<Eigen::Triplet<double>>;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::optional<double> as_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range && end == word.data() + word.size())
    // Too small to be represented is zero; too large is not.
    return word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos ? 0.0 : HUGE_VAL;
  if (error != std::errc() || end != word.data() + word.size()) return {};
  return value;
}

/// Goes through the words of a text and knows the line it is in.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) { skip_blanks(); }

  bool at_end() const { return rest_.empty(); }
  std::string_view peek() const {
    std::size_t size = 0;
    while (size < rest_.size() && !is_blank(rest_[size])) ++size;
    return rest_.substr(0, size);
  }
  void skip() {
    rest_.remove_prefix(peek().size());
    skip_blanks();
  }
  std::string_view rest() const { return rest_; }
  /// Whether this many numbers can still follow, each with a blank between.
  bool has_room_for(double numbers) const { return 2 * numbers <= static_cast<double>(rest_.size()) + 1; }

  [[noreturn]] void fail(const std::string& message) const { throw Error(fmt::format("line {}: {}", line_, message)); }

  /// Number k (from 1) of the n that are `what`.
  double number(std::string_view what, std::size_t k = 1, std::size_t n = 1) {
    if (at_end())
      fail(n == 1
               ? fmt::format("the file ends where {} belongs. It is truncated.", what)
               : fmt::format("the file ends after {} of the {} numbers of {}. It is truncated, or the sizes in its first lines "
                             "are wrong.",
                             k - 1, n, what));
    const std::string_view word = peek();
    const std::optional<double> value = as_number(word);
    if (!value) fail(fmt::format("'{}' stands where {} belongs.", word.substr(0, 40), place(what, k, n)));
    if (std::isnan(*value)) fail(fmt::format("{} is {}. It must be a number.", place(what, k, n), word.substr(0, 40)));
    skip();
    return *value;
  }
  double finite(std::string_view what, std::size_t k = 1, std::size_t n = 1) {
    const Words before = *this;
    const double value = number(what, k, n);
    if (!std::isfinite(value))
      before.fail(fmt::format("{} is {}. It must be finite.", place(what, k, n), before.peek().substr(0, 40)));
    return value;
  }
  std::size_t whole(std::string_view what, std::size_t k = 1, std::size_t n = 1) {
    const Words before = *this;
    const double value = number(what, k, n);
    if (!(value >= 0 && value <= 1e9 && value == std::floor(value)))
      before.fail(fmt::format("{} is not {}. It must be a whole number from 0 to 1e9.", before.peek().substr(0, 40),
                              place(what, k, n)));
    return static_cast<std::size_t>(value);
  }
  /// @throws Error unless the next number is `wanted`.
  void expect(std::size_t wanted, std::string_view what) {
    const Words before = *this;
    if (const std::size_t found = whole(what); found != wanted)
      before.fail(fmt::format("{} is {}, and the numbers before it ask for {}.", what, found, wanted));
  }
  /// @throws Error unless the next word is `wanted`.
  void word(std::string_view wanted) {
    if (peek() != wanted) fail(fmt::format("'{}' stands where '{}' belongs.", peek().substr(0, 40), wanted));
    skip();
  }
  std::vector<double> finite_list(std::string_view what, std::size_t n) {
    std::vector<double> values(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = finite(what, k + 1, n);
    return values;
  }

 private:
  static std::string place(std::string_view what, std::size_t k, std::size_t n) {
    return n == 1 ? std::string(what) : fmt::format("number {} of {}", k, what);
  }
  void skip_blanks() {
    std::size_t size = 0;
    for (; size < rest_.size() && is_blank(rest_[size]); ++size) line_ += rest_[size] == '\n';
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  std::size_t line_ = 1;
};

Entries read_dense(Words& words, std::size_t rows, std::size_t columns) {
  words.expect(rows, "the number of rows of the matrix");
  words.expect(columns, "the number of columns of the matrix");
  const std::size_t n = rows * columns;
  if (!words.has_room_for(static_cast<double>(n)))
    words.fail(
        fmt::format("a dense matrix of {} × {} numbers does not fit into the rest of the file. It is truncated, or the "
                    "sizes in its first lines are wrong.",
                    rows, columns));
  Entries entries;
  for (std::size_t k = 0; k < n; ++k)
    if (const double value = words.finite("the matrix", k + 1, n); value != 0)
      entries.emplace_back(static_cast<int>(k % rows), static_cast<int>(k / rows), value);
  return entries;
}

/// Where the blocks of one direction end.
std::vector<std::size_t> read_ends(Words& words, std::size_t count, std::size_t rows) {
  std::vector<std::size_t> ends(count + 1, 0);
  for (std::size_t i = 1; i <= count; ++i) {
    const Words before = words;
    ends[i] = words.whole("the ends of the blocks", i, count);
    if (ends[i] <= ends[i - 1] || ends[i] > rows)
      before.fail(fmt::format("block {} ends at row {}. The ends must increase, up to the {} rows of the matrix.", i - 1,
                              ends[i], rows));
  }
  if (ends.back() != rows)
    words.fail(fmt::format("the blocks before end at row {}, and the matrix has {} rows.", ends.back(), rows));
  return ends;
}

Entries read_blocks(Words& words, std::size_t rows, std::size_t columns) {
  const std::size_t blocks = words.whole("the number of blocks");
  const std::size_t block_rows = words.whole("the number of block rows"),
                    block_columns = words.whole("the number of block columns");
  if (!words.has_room_for(static_cast<double>(blocks)) || block_rows > rows || block_columns > columns)
    words.fail(fmt::format("{} blocks in {} × {} do not fit a matrix of {} rows or the rest of the file.", blocks, block_rows,
                           block_columns, rows));
  const std::vector<std::size_t> row_ends = read_ends(words, block_rows, rows),
                                 column_ends = read_ends(words, block_columns, columns);
  // Block rows at the end that are empty need not be listed.
  const std::size_t starts = words.whole("the length of the list of block rows");
  if (starts < 1 || starts > block_rows + 1)
    words.fail(fmt::format("the list of block rows has length {}, and there are {} block rows.", starts, block_rows));
  words.expect(blocks, "the length of the list of block columns");
  std::vector<std::size_t> first(starts), column(blocks);
  for (std::size_t i = 0; i < starts; ++i) {
    const Words before = words;
    first[i] = words.whole("the list of block rows", i + 1, starts);
    if (first[i] > blocks || (i > 0 && first[i] < first[i - 1]) || (i == 0 && first[i] != 0))
      before.fail(fmt::format("block row {} begins at block {}. The beginnings must go up from 0 to {}.", i, first[i], blocks));
  }
  if (first.back() != blocks) words.fail(fmt::format("the block rows hold {} of {} blocks.", first.back(), blocks));
  for (std::size_t k = 0; k < blocks; ++k) {
    const Words before = words;
    column[k] = words.whole("the list of block columns", k + 1, blocks);
    if (column[k] >= block_columns)
      before.fail(fmt::format("block {} stands in column {} of {}.", k, column[k], block_columns));
  }
  Entries entries;
  for (std::size_t i = 0; i + 1 < starts; ++i)
    for (std::size_t k = first[i]; k < first[i + 1]; ++k) {
      words.expect(k, "the number of the block");
      const std::size_t height = row_ends[i + 1] - row_ends[i], width = column_ends[column[k] + 1] - column_ends[column[k]];
      const std::string what = fmt::format("block {} of the matrix", k);
      for (std::size_t e = 0; e < height * width; ++e)
        entries.emplace_back(static_cast<int>(row_ends[i] + e % height), static_cast<int>(column_ends[column[k]] + e / height),
                             words.finite(what, e + 1, height * width));
    }
  return entries;
}

/// What CSparse prints before the numbers: its version, sizes and, of
/// compressed columns, a norm. @returns how many numbers follow
std::size_t read_sparse_title(Words& words, bool columns) {
  while (!words.at_end() && words.peek() != "nnz:") words.skip();
  words.word("nnz:");
  // Triplets: "nnz: 5"; columns: "nnz: 5, 1-norm: 3.5".
  std::string_view count = words.peek();
  if (count.ends_with(',')) count.remove_suffix(1);
  const std::optional<double> numbers = as_number(count);
  if (!numbers || !(*numbers >= 0) || !words.has_room_for(*numbers))
    words.fail(fmt::format("'{}' is no number of entries that fits into the rest of the file.", words.peek().substr(0, 40)));
  words.skip();
  if (columns) {
    words.word("1-norm:");
    words.number("the norm of the matrix");
  }
  return static_cast<std::size_t>(*numbers);
}

Entries read_sparse(Words& words, std::size_t rows, std::size_t columns) {
  const Words before = words;
  const std::size_t kind = words.whole("the kind of sparse matrix");
  if (kind != 1 && kind != 2)
    before.fail(fmt::format("{} is no kind of sparse matrix that can be read. 1 is triplets, 2 compressed columns.", kind));
  const std::size_t count = read_sparse_title(words, kind == 2);
  Entries entries;
  const auto index = [&](std::string_view what, std::size_t end) {
    const Words place = words;
    const std::size_t at = words.whole(what);
    if (at >= end) place.fail(fmt::format("{} is {}, and the matrix has {} rows and {} columns.", what, at, rows, columns));
    return static_cast<int>(at);
  };
  const auto value = [&] {
    words.word(":");
    return words.finite("the matrix", entries.size() + 1, count);
  };
  if (kind == 1) {
    while (entries.size() < count) {
      const int row = index("a row", rows), column = index("a column", columns);
      entries.emplace_back(row, column, value());
    }
    return entries;
  }
  while (entries.size() < count) {
    words.word("col");
    const int column = index("a column", columns);
    words.word(":");
    words.word("locations");
    words.expect(entries.size(), "the first location of the column");
    words.word("to");
    const double last = words.number("the last location of the column");   // one before the first if the column is empty
    while (static_cast<double>(entries.size()) <= last && entries.size() < count) {
      const int row = index("a row", rows);
      entries.emplace_back(row, column, value());
    }
  }
  // Empty columns at the end.
  while (words.peek() == "col")
    for (int k = 0; k < 7; ++k) words.skip();
  return entries;
}

Entries read_matrix(Words& words, std::size_t storage, std::size_t rows, std::size_t columns) {
  words.expect(rows, "the number of rows");
  words.expect(columns, "the number of columns");
  return storage == 0   ? read_dense(words, rows, columns)
         : storage == 1 ? read_blocks(words, rows, columns)
                        : read_sparse(words, rows, columns);
}

/// What the first numbers say the file is.
struct Opening {
  enum class Kind { friction, global_friction, lcp, boxed_lcp } kind;
  std::size_t dimension = 1, count = 0, storage = 0;
  std::size_t velocities = 0;   ///< of a global problem: rows of M
};

Opening read_opening(Words& words) {
  std::vector<double> first;
  const bool boxed = words.peek() == "boxed-lcp";
  if (boxed) words.skip();
  for (Words ahead = words; first.size() < 5 && !ahead.at_end(); ahead.skip()) {
    const auto value = as_number(ahead.peek());
    if (!value) break;
    first.push_back(*value);
  }
  if (first.empty())
    words.fail(fmt::format("'{}' is no beginning of a contact problem. A file holds HDF5, or the numbers of Siconos text.",
                           words.peek().substr(0, 40)));
  const auto known_storage = [](double s) { return s == 0 || s == 1 || s == 2; };
  const std::size_t n = first.size();
  const bool dimension = first[0] == 2 || first[0] == 3 || first[0] == 5;
  if (n >= 4 && first[2] == first[0] && first[3] == first[0] && known_storage(first[1])) {
    Opening opening{boxed ? Opening::Kind::boxed_lcp : Opening::Kind::lcp};
    opening.count = words.whole("the number of unknowns");
    opening.storage = words.whole("the storage");
    return opening;
  }
  if (!boxed && n == 5 && dimension && known_storage(first[2]) && first[4] == first[3]) {
    Opening opening{first[3] == first[0] * first[1] ? Opening::Kind::friction : Opening::Kind::global_friction};
    opening.dimension = words.whole("the dimension");
    opening.count = words.whole("the number of contacts");
    opening.storage = words.whole("the storage");
    opening.velocities = static_cast<std::size_t>(first[3]);
    return opening;
  }
  std::string message = fmt::format("no contact problem begins with the numbers {}.", fmt::join(first, ", "));
  if (!boxed) {
    message +=
        " A friction problem begins with dimension (2, 3 or 5), contacts, storage (0 dense, 1 blocks, 2 sparse), rows and "
        "columns, with "
        "rows = columns = dimension × contacts";
    if (dimension && n == 5)
      message +=
          fmt::format(" (here {} × {} = {}, not {} and {})", first[0], first[1], first[0] * first[1], first[3], first[4]);
    message += ".";
  }
  message += " An LCP begins with n, storage, rows and columns, with rows = columns = n";
  if (n >= 4) message += fmt::format(" (here {}, not {} and {})", first[0], first[2], first[3]);
  words.fail(message + ". Other storages: save as FCLIB.");
}

void check_rest(Words& words, bool friction) {
  // Friction problems may end with a flag.
  if (friction && (words.peek() == "0" || words.peek() == "1")) words.skip();
  if (!words.at_end() && as_number(words.peek()))
    words.fail(
        fmt::format("the number {} stands after the end of the problem. The sizes in the first lines are wrong, or the file "
                    "holds more than a problem.",
                    words.peek().substr(0, 40)));
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && (is_blank(text.front()) || text.front() == '#')) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

void read_friction(Words& words, const Opening& opening, ContactProblem& p) {
  const std::size_t n = opening.count;
  const auto coefficients = [&](std::string_view what) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Words before = words;
      try {
        values[i] = checked_coefficient(words.number(what, i + 1, n), i);
      } catch (const Error& error) {
        if (error.message().starts_with("line ")) throw;
        before.fail(error.message());
      }
    }
    return values;
  };
  const std::vector<double> mu = coefficients("the friction coefficients");
  const std::vector<double> rolling =
      opening.dimension == 5 ? coefficients("the rolling coefficients") : std::vector<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (opening.dimension == 2) p.laws[i] = PlanarFriction{mu[i]};
    else if (opening.dimension == 3) p.laws[i] = CircularFriction{mu[i]};
    else p.laws[i] = RollingFriction{mu[i], rolling[i]};
  }
}

void read_bounds(Words& words, ContactProblem& p) {
  const std::size_t n = p.rows();
  p.lower.resize(n), p.upper.resize(n);
  for (std::size_t i = 0; i < n; ++i) p.lower[i] = words.number("the lower bounds", i + 1, n);
  for (std::size_t i = 0; i < n; ++i) {
    const Words before = words;
    p.upper[i] = words.number("the upper bounds", i + 1, n);
    if (p.upper[i] < p.lower[i])
      before.fail(fmt::format("the upper bound {} of row {} is below its lower bound {}.", p.upper[i], i, p.lower[i]));
  }
  for (Block& block : p.blocks) block.kind = BlockKind::box;
}

}   // namespace

ProblemFile read_siconos(std::string_view text) {
  Words words(text);
  if (words.at_end()) throw Error("The file is empty.");
  const Opening opening = read_opening(words);
  const std::size_t rows = opening.dimension * opening.count;
  const auto dimension = static_cast<int>(opening.dimension);
  ProblemFile file;
  if (opening.kind == Opening::Kind::global_friction) {
    const Entries mass = read_matrix(words, opening.storage, opening.velocities, opening.velocities);
    const Words before = words;
    const std::size_t storage = words.whole("the storage of H");
    if (storage > 2) before.fail(fmt::format("{} is no storage of H. It is 0 dense, 1 blocks or 2 sparse.", storage));
    const Entries jacobian = read_matrix(words, storage, opening.velocities, rows);
    const std::vector<double> f = words.finite_list("f", opening.velocities);
    file = from_global(dimension, opening.count, 0, mass, jacobian, f, words.finite_list("q", rows));
  } else {
    const Entries entries = read_matrix(words, opening.storage, rows, rows);
    file = from_matrix(dimension, opening.count, 0, entries, words.finite_list("q", rows));
  }
  const bool friction = opening.kind == Opening::Kind::friction || opening.kind == Opening::Kind::global_friction;
  if (friction) read_friction(words, opening, file.problem);
  if (opening.kind == Opening::Kind::boxed_lcp) read_bounds(words, file.problem);
  check_rest(words, friction);
  file.description = trimmed(words.rest());
  file.format = "siconos";
  return file;
}

}   // namespace stickslip::files
