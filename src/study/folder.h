// The files of a study's folder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "scene/json.h"
#include "stickslip/study/run.h"

namespace stickslip::study {

using document::Json;

/// "tower/global" → "tower-global.json"
std::string case_file_name(const std::string& case_name);

/// Text of a file. @throws Error if it cannot be read
std::string read_text(const std::filesystem::path&);
/// Replaces a file when the new one is whole. @throws Error
void write_text(const std::filesystem::path&, std::string_view text);

/// Sixteen hexadecimal digits that change with the bytes (FNV-1a).
std::string checksum(std::string_view bytes);
/// Of the program that runs: cases of another build are not trusted.
const std::string& build_of_program();

/// What a finished case gave.
void save_case(const std::filesystem::path& folder, const std::string& name, const Data&, double seconds);
/// Fills the (empty) tables. @returns the seconds that it took; nothing if it has not finished, or was another build's and
/// `any_build` is not set: then `other_build` becomes true. @throws Error if the file is damaged
std::optional<double> load_case(const std::filesystem::path& folder, const std::string& name, Data&, bool any_build,
                                bool& other_build);

/// Writes data/ and times/. @returns the checksums of the files in data/
std::map<std::string, std::string> write_data(const std::filesystem::path& folder, const Data&);

Json to_json(const Setting&);
/// Facts about machine and program, in the order to show.
Json machine_facts();
/// @param checksums of the data; empty while the study is not finished
void write_manifest(const std::filesystem::path& folder, const Study&, const Setting&, const RunOptions&,
                    const std::map<std::string, std::string>& checksums);

}   // namespace stickslip::study
