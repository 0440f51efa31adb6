/// The 16-bit UUIDs of descriptors by name, sorted by name (`name=NNNN`, aliases `name~NNNN`).
/// Written by `Scripts/assigned-numbers`; one text, because thousands of literals in an array take
/// minutes to compile.
enum DescriptorNames {
  static let text: StaticString = #"""
    characteristic_aggregate_format=2905
    characteristic_extended_properties=2900
    characteristic_presentation_format=2904
    characteristic_user_description=2901
    characteristic_user_descriptor~2901
    client_characteristic_configuration=2902
    complete_br_edr_transport_block_data=290F
    cooking_sensor_info=2916
    cooking_trigger_setting=2917
    environmental_sensing_configuration=290B
    environmental_sensing_measurement=290C
    environmental_sensing_trigger_setting=290D
    es_configuration~290B
    es_measurement~290C
    es_trigger_setting~290D
    external_report_reference=2907
    imd_trigger_setting=2915
    manufacturer_limits=2913
    measurement_description=2912
    number_of_digitals=2909
    observation_schedule=2910
    process_tolerances=2914
    report_reference=2908
    server_characteristic_configuration=2903
    time_trigger_setting=290E
    valid_range=2906
    valid_range_accuracy~2911
    valid_range_and_accuracy=2911
    value_trigger_setting=290A
    """#
}
